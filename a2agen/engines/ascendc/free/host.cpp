// The runtime's and the library's functions for host programs, each rank's host a thread.
#include <a2agen/launch.h>
#include <acl/acl.h>
#include <shmem_host.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "config.h"
#include "copy.h"
#include "world.h"

using a2agen::self;
using a2agen::Stream;

namespace {

constexpr int INVALID = -1;
constexpr uint64_t GAP = 512;
std::atomic<int> wanted_queues{0};
std::once_flag queues_made;

void meet()
{
    static a2agen::Gate gate;
    gate.pass(static_cast<uint64_t>(a2agen::ranks()));
}

Stream &stream_of(void *handle) { return *static_cast<Stream *>(handle); }

/// What memset does, where ThreadSanitizer sees it.
void clear(void *memory, int value, size_t count)
{
    auto *to = static_cast<volatile uint8_t *>(memory);
    for (size_t n = 0; n < count; n++) {
        to[n] = static_cast<uint8_t>(value);
    }
}

void *symmetric(size_t alignment, size_t size)
{
    meet();
    a2agen::Rank &rank = *self().rank;
    const uint64_t step = std::max<uint64_t>(alignment, GAP);
    const uint64_t start = (rank.heap_top + GAP + step - 1) / step * step;
    if (size == 0 || start + size > a2agen::HEAP_BYTES) {
        return nullptr;
    }
    a2agen::forbid(rank.heap + rank.heap_top, start + size + GAP - rank.heap_top);
    a2agen::allow(rank.heap + start, size);
    rank.heap_top = start + size;
    return rank.heap + start;
}

}  // namespace

namespace a2agen {

uint32_t launch(uint32_t blocks, void *handle, const Launch &what)
{
    Rank *rank = self().rank;
    stream_of(handle).enqueue([rank, blocks, what] {
        std::vector<std::thread> cores;
        for (uint32_t n = 0; n < blocks; n++) {
            cores.emplace_back([rank, blocks, what, n] {
                std::vector<uint8_t> local(config().local_bytes + BLOCK);
                const uint64_t first = reinterpret_cast<uint64_t>(local.data());
                uint8_t *aligned = local.data() + (BLOCK - first % BLOCK) % BLOCK;
                forbid(aligned, config().local_bytes);
                self() = {rank, static_cast<int>(n), static_cast<int64_t>(blocks), aligned, 0};
                what.body(what.arguments);
                allow(aligned, config().local_bytes);
            });
        }
        for (std::thread &core : cores) {
            core.join();
        }
        what.destroy(what.arguments);
    });
    return 0;
}

}  // namespace a2agen

aclError aclInit(const char *) { return ACL_SUCCESS; }
aclError aclFinalize() { return ACL_SUCCESS; }
aclError aclrtSetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtResetDevice(int32_t) { return ACL_SUCCESS; }

aclError aclrtCreateStream(aclrtStream *stream)
{
    auto &streams = self().rank->streams;
    streams.push_back(std::make_unique<Stream>());
    Stream *made = streams.back().get();
    a2agen::Rank *rank = self().rank;
    made->thread = std::thread([made, rank] {
        self().rank = rank;
        made->serve();
    });
    *stream = made;
    return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream handle)
{
    Stream &stream = stream_of(handle);
    {
        const std::lock_guard<std::mutex> lock(stream.mutex);
        stream.closed = true;
    }
    stream.changed.notify_all();
    stream.thread.join();
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    stream_of(stream).synchronize();
    return ACL_SUCCESS;
}

aclError aclrtMalloc(void **memory, size_t size, aclrtMemMallocPolicy)
{
    *memory = size ? std::aligned_alloc(GAP, (size + GAP - 1) / GAP * GAP) : nullptr;
    return *memory ? ACL_SUCCESS : INVALID;
}

aclError aclrtFree(void *memory)
{
    std::free(memory);
    return ACL_SUCCESS;
}

aclError aclrtMallocHost(void **memory, size_t size)
{
    *memory = std::malloc(size);
    return *memory ? ACL_SUCCESS : INVALID;
}

aclError aclrtFreeHost(void *memory)
{
    std::free(memory);
    return ACL_SUCCESS;
}

aclError aclrtMemset(void *memory, size_t most, int32_t value, size_t count)
{
    if (count > most) {
        return INVALID;
    }
    clear(memory, value, count);
    return ACL_SUCCESS;
}

aclError aclrtMemsetAsync(void *memory, size_t most, int32_t value, size_t count, aclrtStream stream)
{
    if (count > most) {
        return INVALID;
    }
    stream_of(stream).enqueue([memory, value, count] { clear(memory, value, count); });
    return ACL_SUCCESS;
}

aclError aclrtMemcpy(void *target, size_t most, const void *source, size_t count, aclrtMemcpyKind)
{
    if (count > most) {
        return INVALID;
    }
    a2agen::copy(target, source, count);
    return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void *target, size_t most, const void *source, size_t count, aclrtMemcpyKind,
                          aclrtStream stream)
{
    if (count > most) {
        return INVALID;
    }
    stream_of(stream).enqueue([target, source, count] { a2agen::copy(target, source, count); });
    return ACL_SUCCESS;
}

int aclshmemx_set_conf_store_tls(bool, const char *, uint32_t) { return ACLSHMEM_SUCCESS; }

int aclshmemx_set_qp_num(data_op_engine_type_t engine, uint32_t qp_num)
{
    if (engine != ACLSHMEM_DATA_OP_UDMA || self().rank->initialised || qp_num < 1 || qp_num > ACLSHMEM_MAX_QP_NUM) {
        return INVALID;
    }
    wanted_queues = static_cast<int>(qp_num);
    return ACLSHMEM_SUCCESS;
}

int aclshmemx_init_attr(aclshmemx_bootstrap_t, aclshmemx_init_attr_t *attributes)
{
    if (attributes == nullptr || attributes->my_pe != self().rank->number || attributes->n_pes != a2agen::ranks()) {
        return INVALID;
    }
    meet();
    std::call_once(queues_made, [] { a2agen::set_up_queues(wanted_queues ? wanted_queues.load() : 1); });
    self().rank->initialised = true;
    meet();
    return ACLSHMEM_SUCCESS;
}

void *aclshmem_malloc(size_t size) { return symmetric(GAP, size); }
void *aclshmem_align(size_t alignment, size_t size) { return symmetric(alignment, size); }
void aclshmem_free(void *) { meet(); }
void aclshmem_barrier_all() { meet(); }
int aclshmem_my_pe() { return self().rank->number; }
int aclshmem_n_pes() { return a2agen::ranks(); }

int aclshmem_finalize()
{
    meet();
    self().rank->initialised = false;
    return ACLSHMEM_SUCCESS;
}
