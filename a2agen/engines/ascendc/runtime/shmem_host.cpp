// aclshmem as host programs see it.
#include <shmem_host.h>

#include <string>

#include "config.h"
#include "meeting.h"
#include "memory.h"
#include "rank.h"
#include "scheduler.h"
#include "udma.h"

using a2agen::rank;

namespace {

constexpr int INVALID = -1;
constexpr uint64_t ALIGNMENT = 512;
int wanted_queues = 0;
bool initialised = false;
uint64_t asked_bytes = 0;
int asked_by = 0;

void meet(const char *where)
{
    static a2agen::Meeting meeting;
    meeting.join(static_cast<uint64_t>(a2agen::config().ranks), rank().clock,
                 "rank " + std::to_string(rank().number) + "'s host waits in " + where);
}

/// All ranks must ask for the same, one after the other.
void *allocate(size_t alignment, size_t size)
{
    a2agen::Rank &self = rank();
    if (asked_by++ % a2agen::config().ranks == 0) {
        asked_bytes = size;
    } else if (asked_bytes != size) {
        a2agen::find_and_stop("not-symmetric", {self.number, -1, 0},
                              "rank " + std::to_string(self.number) + " allocates " + std::to_string(size) +
                                  " symmetric bytes where another rank allocates " + std::to_string(asked_bytes));
    }
    meet("a symmetric allocation");
    self.heap_used += size;
    if (size == 0 || self.heap_used > a2agen::config().heap_bytes) {
        return nullptr;
    }
    return reinterpret_cast<void *>(
        a2agen::allocate_global(self.number, true, size, alignment < ALIGNMENT ? ALIGNMENT : alignment));
}

}  // namespace

int aclshmemx_set_conf_store_tls(bool, const char *, uint32_t) { return ACLSHMEM_SUCCESS; }

int aclshmemx_set_qp_num(data_op_engine_type_t engine, uint32_t qp_num)
{
    const int queues = static_cast<int>(qp_num);
    if (engine != ACLSHMEM_DATA_OP_UDMA || rank().initialised || qp_num < 1 || qp_num > ACLSHMEM_MAX_QP_NUM ||
        (wanted_queues != 0 && wanted_queues != queues)) {
        return INVALID;
    }
    wanted_queues = queues;
    return ACLSHMEM_SUCCESS;
}

int aclshmemx_init_attr(aclshmemx_bootstrap_t, aclshmemx_init_attr_t *attributes)
{
    a2agen::Rank &self = rank();
    if (attributes == nullptr || attributes->my_pe != self.number || attributes->n_pes != a2agen::config().ranks ||
        self.initialised) {
        return INVALID;
    }
    meet("aclshmemx_init_attr");
    if (!initialised) {
        a2agen::set_up_queues(wanted_queues ? wanted_queues : 1);
        initialised = true;
    }
    self.initialised = true;
    return ACLSHMEM_SUCCESS;
}

void *aclshmem_malloc(size_t size) { return allocate(ALIGNMENT, size); }
void *aclshmem_align(size_t alignment, size_t size) { return allocate(alignment, size); }

void aclshmem_free(void *memory)
{
    meet("aclshmem_free");
    a2agen::free_global(reinterpret_cast<uint64_t>(memory), rank().number);
}

void aclshmem_barrier_all() { meet("a host barrier"); }
int aclshmem_my_pe() { return rank().number; }
int aclshmem_n_pes() { return a2agen::config().ranks; }

int aclshmem_finalize()
{
    meet("aclshmem_finalize");
    rank().initialised = false;
    return ACLSHMEM_SUCCESS;
}
