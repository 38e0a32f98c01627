// Stand-in for the part of aclshmem that emitted kernels and their host programs use. A kernel includes
// kernel_operator.h first, and gets the device's side.
#pragma once
#include <shmem_constants.h>
#ifdef GM_ADDR
#include <shmem_device.h>
#else
#include <shmem_host.h>
#endif
