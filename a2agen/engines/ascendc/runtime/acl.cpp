// The Ascend runtime as host programs see it.
#include <acl/acl.h>

#include <cstdlib>
#include <cstring>

#include "config.h"
#include "memory.h"
#include "rank.h"
#include "scheduler.h"

using a2agen::rank;

namespace {

constexpr aclError BAD_ARGUMENT = 100000;
constexpr aclError OUT_OF_MEMORY = 200000;
constexpr uint64_t ALIGNMENT = 512;

uint64_t number(const void *address) { return reinterpret_cast<uint64_t>(address); }

void move(a2agen::Thread thread, a2agen::Clock &clock, void *target, const void *source, size_t count)
{
    const a2agen::Site site{a2agen::scheduler().current().rank, -1, 0};
    const bool from_device = a2agen::is_device_address(number(source)),
               to_device = a2agen::is_device_address(number(target));
    if (from_device) {
        host_access(thread, clock, number(source), count, false);
    }
    if (to_device) {
        host_access(thread, clock, number(target), count, true);
    }
    const void *from = source;
    void *to = target;
    if (from_device) {
        from = a2agen::place(number(source), count, site, "the host's read").bytes;
    }
    if (to_device) {
        const a2agen::Place where = a2agen::place(number(target), count, site, "the host's write");
        to = where.bytes;
        if (to != nullptr && a2agen::config().checked) {
            std::memset(where.defined, 1, count);
        }
    }
    if (from != nullptr && to != nullptr) {
        std::memmove(to, from, count);
        a2agen::scheduler().changed();
    }
}

void clear(a2agen::Thread thread, a2agen::Clock &clock, void *memory, int value, size_t count)
{
    host_access(thread, clock, number(memory), count, true);
    const a2agen::Site site{a2agen::scheduler().current().rank, -1, 0};
    if (const a2agen::Place where = a2agen::place(number(memory), count, site, "the host's write")) {
        std::memset(where.bytes, value, count);
        if (a2agen::config().checked) {
            std::memset(where.defined, 1, count);
        }
        a2agen::scheduler().changed();
    }
}

bool fits(const void *target, const void *source, aclrtMemcpyKind kind)
{
    const bool from = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    const bool to = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    return a2agen::is_device_address(number(source)) == from && a2agen::is_device_address(number(target)) == to;
}

}  // namespace

aclError aclInit(const char *) { return ACL_SUCCESS; }
aclError aclFinalize() { return ACL_SUCCESS; }
aclError aclrtSetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtResetDevice(int32_t) { return ACL_SUCCESS; }

aclError aclrtCreateStream(aclrtStream *stream)
{
    *stream = a2agen::open_stream();
    return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    a2agen::synchronize(a2agen::stream_of(stream));
    a2agen::stream_of(stream).closed = true;
    a2agen::scheduler().changed();
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    a2agen::synchronize(a2agen::stream_of(stream));
    return ACL_SUCCESS;
}

aclError aclrtMalloc(void **memory, size_t size, aclrtMemMallocPolicy)
{
    const uint64_t address = size ? a2agen::allocate_global(rank().number, false, size, ALIGNMENT) : 0;
    *memory = reinterpret_cast<void *>(address);
    return address ? ACL_SUCCESS : OUT_OF_MEMORY;
}

aclError aclrtFree(void *memory)
{
    return a2agen::free_global(number(memory), rank().number) ? ACL_SUCCESS : BAD_ARGUMENT;
}

aclError aclrtMallocHost(void **memory, size_t size)
{
    *memory = std::malloc(size);
    return *memory ? ACL_SUCCESS : OUT_OF_MEMORY;
}

aclError aclrtFreeHost(void *memory)
{
    std::free(memory);
    return ACL_SUCCESS;
}

aclError aclrtMemset(void *memory, size_t most, int32_t value, size_t count)
{
    if (count > most) {
        return BAD_ARGUMENT;
    }
    clear(rank().host, rank().clock, memory, value, count);
    a2agen::scheduler().step();
    return ACL_SUCCESS;
}

aclError aclrtMemsetAsync(void *memory, size_t most, int32_t value, size_t count, aclrtStream handle)
{
    if (count > most) {
        return BAD_ARGUMENT;
    }
    a2agen::Stream &stream = a2agen::stream_of(handle);
    a2agen::enqueue(stream,
                    [&stream, memory, value, count] { clear(stream.thread, stream.clock, memory, value, count); });
    return ACL_SUCCESS;
}

aclError aclrtMemcpy(void *target, size_t most, const void *source, size_t count, aclrtMemcpyKind kind)
{
    if (count > most || !fits(target, source, kind)) {
        return BAD_ARGUMENT;
    }
    move(rank().host, rank().clock, target, source, count);
    a2agen::scheduler().step();
    return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void *target, size_t most, const void *source, size_t count, aclrtMemcpyKind kind,
                          aclrtStream handle)
{
    if (count > most || !fits(target, source, kind)) {
        return BAD_ARGUMENT;
    }
    a2agen::Stream &stream = a2agen::stream_of(handle);
    a2agen::enqueue(stream,
                    [&stream, target, source, count] { move(stream.thread, stream.clock, target, source, count); });
    return ACL_SUCCESS;
}
