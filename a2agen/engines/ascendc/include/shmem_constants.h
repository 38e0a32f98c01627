// Constants of aclshmem that both sides have.
#pragma once
#include <cstdint>

enum { ACLSHMEM_CMP_EQ = 0, ACLSHMEM_CMP_NE, ACLSHMEM_CMP_GT, ACLSHMEM_CMP_GE, ACLSHMEM_CMP_LT, ACLSHMEM_CMP_LE };
constexpr int ACLSHMEM_SUCCESS = 0;
constexpr uint32_t ACLSHMEM_MAX_QP_NUM = 32;
constexpr uint32_t ACLSHMEM_UDMA_MTE_STAGING_UB_SIZE = 128;
