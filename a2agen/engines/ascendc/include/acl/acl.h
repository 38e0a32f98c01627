// Stand-in for the part of the Ascend runtime that emitted host programs use.
#pragma once
#include <cstddef>
#include <cstdint>

using aclError = int;
using aclrtStream = void *;
constexpr aclError ACL_SUCCESS = 0;
constexpr aclError ACL_ERROR_NONE = 0;

enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE
};
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY };

aclError aclInit(const char *config);
aclError aclFinalize();
aclError aclrtSetDevice(int32_t device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtCreateStream(aclrtStream *stream);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtMalloc(void **memory, size_t size, aclrtMemMallocPolicy policy);
aclError aclrtFree(void *memory);
aclError aclrtMallocHost(void **memory, size_t size);
aclError aclrtFreeHost(void *memory);
aclError aclrtMemset(void *memory, size_t most, int32_t value, size_t count);
aclError aclrtMemsetAsync(void *memory, size_t most, int32_t value, size_t count, aclrtStream stream);
aclError aclrtMemcpy(void *target, size_t most, const void *source, size_t count, aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void *target, size_t most, const void *source, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream);

/// The name that CANN's build gives to the function that launches a kernel; its header is made with the kernel.
#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel
