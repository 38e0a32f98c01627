// The host's side of aclshmem. Memory comes undefined, and every rank must ask for the same.
#pragma once
#include <shmem_constants.h>

#include <cstddef>
#include <cstdint>

enum data_op_engine_type_t {
    ACLSHMEM_DATA_OP_MTE = 1,
    ACLSHMEM_DATA_OP_SDMA = 2,
    ACLSHMEM_DATA_OP_ROCE = 4,
    ACLSHMEM_DATA_OP_UDMA = 8
};
enum aclshmemx_bootstrap_t {
    ACLSHMEMX_INIT_WITH_DEFAULT = 1,
    ACLSHMEMX_INIT_WITH_MPI = 2,
    ACLSHMEMX_INIT_WITH_UNIQUEID = 8
};

struct aclshmem_init_optional_attr_t {
    int version;
    data_op_engine_type_t data_op_engine_type;
    uint32_t shm_init_timeout;
    uint32_t shm_create_timeout;
    uint32_t control_operation_timeout;
    int32_t sockFd;
};

struct aclshmemx_uniqueid_t {
    int32_t version;
    char internal[512];
};

struct aclshmemx_init_attr_t {
    int my_pe;
    int n_pes;
    char ip_port[64];
    uint64_t local_mem_size;
    aclshmem_init_optional_attr_t option_attr;
    void *comm_args;
    uint64_t instance_id;
};

int aclshmemx_set_conf_store_tls(bool enable, const char *tls_info, uint32_t length);
int aclshmemx_set_qp_num(data_op_engine_type_t engine, uint32_t qp_num);
int aclshmemx_init_attr(aclshmemx_bootstrap_t flags, aclshmemx_init_attr_t *attributes);
void *aclshmem_malloc(size_t size);

void *aclshmem_align(size_t alignment, size_t size);
void aclshmem_free(void *memory);
void aclshmem_barrier_all();
int aclshmem_my_pe();
int aclshmem_n_pes();
int aclshmem_finalize();
