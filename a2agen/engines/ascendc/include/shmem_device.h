// The device's side of aclshmem. Lengths are elements, as in the library.
#pragma once
#include <a2agen/device.h>
#include <kernel_operator.h>

struct aclshmemx_submit_state_t {
    uint32_t pending_count;
    uint32_t reserved;
};
struct aclshmemx_defer_t {
    explicit aclshmemx_defer_t(aclshmemx_submit_state_t &batch) : state(batch) {}
    aclshmemx_submit_state_t &state;
};
struct aclshmemx_submit_t {
    explicit aclshmemx_submit_t(aclshmemx_submit_state_t &batch) : state(batch) {}
    aclshmemx_submit_state_t &state;
};

namespace a2agen {

template <typename T>
Put request(__gm__ T *dst, __gm__ T *src, __ubuf__ uint8_t *buf, uint32_t elem_size, int pe)
{
    Put put{};
    put.target = reinterpret_cast<uint64_t>(dst);
    put.source = reinterpret_cast<uint64_t>(src);
    put.bytes = uint64_t{elem_size} * sizeof(T);
    put.local = reinterpret_cast<uint64_t>(buf);
    put.pe = pe;
    put.via = -1;
    return put;
}

template <typename T>
__ubuf__ uint8_t *bytes_of(__ubuf__ T *buf)
{
    return reinterpret_cast<__ubuf__ uint8_t *>(buf);
}

}  // namespace a2agen

static inline int aclshmem_my_pe() { return a2agen::my_pe(); }
static inline int aclshmem_n_pes() { return a2agen::n_pes(); }
static inline __gm__ void *aclshmem_ptr(__gm__ void *ptr, int pe, a2agen::Line line = a2agen::Line::here())
{
    return reinterpret_cast<__gm__ void *>(a2agen::remote_address(reinterpret_cast<uint64_t>(ptr), pe, line));
}
static inline void aclshmem_uint64_p(__gm__ uint64_t *dst, uint64_t value, int pe,
                                     a2agen::Line line = a2agen::Line::here())
{
    a2agen::notify(reinterpret_cast<uint64_t>(dst), value, pe, line);
}
static inline void aclshmem_int64_p(__gm__ int64_t *dst, int64_t value, int pe,
                                    a2agen::Line line = a2agen::Line::here())
{
    a2agen::notify(reinterpret_cast<uint64_t>(dst), static_cast<uint64_t>(value), pe, line);
}
static inline void aclshmem_uint64_wait_until(__gm__ uint64_t *ivar, int cmp, uint64_t value,
                                              a2agen::Line line = a2agen::Line::here())
{
    a2agen::wait_until(reinterpret_cast<uint64_t>(ivar), cmp, value, line);
}
/// Compared without sign: words of kernels are no negative numbers.
static inline void aclshmem_int64_wait_until(__gm__ int64_t *ivar, int cmp, int64_t value,
                                             a2agen::Line line = a2agen::Line::here())
{
    a2agen::wait_until(reinterpret_cast<uint64_t>(ivar), cmp, static_cast<uint64_t>(value), line);
}
static inline void aclshmem_fence(a2agen::Line line = a2agen::Line::here()) { a2agen::fence(line); }
static inline void aclshmem_quiet(a2agen::Line line = a2agen::Line::here()) { a2agen::fence(line); }
static inline void aclshmemx_barrier_all_vec(a2agen::Line line = a2agen::Line::here()) { a2agen::barrier_all(line); }

template <typename T>
void aclshmemx_udma_put_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *buf, uint32_t elem_size, int pe,
                            uint32_t sync_id = 0, a2agen::Line line = a2agen::Line::here())
{
    static_cast<void>(sync_id);
    a2agen::put(a2agen::request(dst, src, a2agen::bytes_of(buf), elem_size, pe), line);
}

template <typename T>
void aclshmemx_udma_qp_put_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *buf, uint32_t elem_size, int pe,
                               uint32_t qp_idx, uint32_t sync_id = 0, a2agen::Line line = a2agen::Line::here())
{
    static_cast<void>(sync_id);
    a2agen::Put put = a2agen::request(dst, src, a2agen::bytes_of(buf), elem_size, pe);
    put.queue = qp_idx;
    a2agen::put(put, line);
}

template <typename T>
void aclshmemx_udma_qp_put_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *buf, uint32_t elem_size, int pe,
                               uint32_t qp_idx, uint32_t sync_id, aclshmemx_defer_t batch,
                               a2agen::Line line = a2agen::Line::here())
{
    static_cast<void>(sync_id);
    a2agen::Put put = a2agen::request(dst, src, a2agen::bytes_of(buf), elem_size, pe);
    put.queue = qp_idx;
    put.submission = a2agen::Submission::DEFER;
    put.pending = &batch.state.pending_count;
    a2agen::put(put, line);
}

template <typename T>
void aclshmemx_udma_qp_put_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *buf, uint32_t elem_size, int pe,
                               uint32_t qp_idx, uint32_t sync_id, aclshmemx_submit_t batch,
                               a2agen::Line line = a2agen::Line::here())
{
    static_cast<void>(sync_id);
    a2agen::Put put = a2agen::request(dst, src, a2agen::bytes_of(buf), elem_size, pe);
    put.queue = qp_idx;
    put.submission = a2agen::Submission::SUBMIT;
    put.pending = &batch.state.pending_count;
    a2agen::put(put, line);
}

template <typename T>
void aclshmemx_udma_put_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *buf, uint32_t elem_size, int pe, uint32_t sync_id,
                            aclshmemx_defer_t batch, a2agen::Line line = a2agen::Line::here())
{
    aclshmemx_udma_qp_put_nbi(dst, src, buf, elem_size, pe, 0, sync_id, batch, line);
}

template <typename T>
void aclshmemx_udma_put_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *buf, uint32_t elem_size, int pe, uint32_t sync_id,
                            aclshmemx_submit_t batch, a2agen::Line line = a2agen::Line::here())
{
    aclshmemx_udma_qp_put_nbi(dst, src, buf, elem_size, pe, 0, sync_id, batch, line);
}

template <typename T>
void aclshmemx_udma_relay_put_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *buf, uint32_t elem_size, int pe,
                                  int relay_pe, uint32_t sync_id = 0, a2agen::Line line = a2agen::Line::here())
{
    static_cast<void>(sync_id);
    a2agen::Put put = a2agen::request(dst, src, a2agen::bytes_of(buf), elem_size, pe);
    put.via = relay_pe;
    a2agen::put(put, line);
}

namespace a2agen {

template <typename T>
void put_signal(__gm__ T *dst, __gm__ T *src, uint32_t elem_size, __gm__ uint64_t *sig_addr, uint64_t signal, int pe,
                uint32_t queue, __ubuf__ uint8_t *buf, Line line)
{
    Put put = request(dst, src, buf, elem_size, pe);
    put.queue = queue;
    put.signals = true;
    put.word = reinterpret_cast<uint64_t>(sig_addr);
    put.value = signal;
    a2agen::put(put, line);
}

}  // namespace a2agen

template <typename T>
void aclshmemx_udma_put_signal_nbi(__gm__ T *dst, __gm__ T *src, uint32_t elem_size, __gm__ uint64_t *sig_addr,
                                   uint64_t signal, int pe, a2agen::Line line = a2agen::Line::here())
{
    a2agen::put_signal(dst, src, elem_size, sig_addr, signal, pe, 0, nullptr, line);
}

template <typename T>
void aclshmemx_udma_put_signal_nbi(__gm__ T *dst, __gm__ T *src, uint32_t elem_size, __gm__ uint64_t *sig_addr,
                                   uint64_t signal, int pe, __ubuf__ uint8_t *buf, uint32_t sync_id = 0,
                                   a2agen::Line line = a2agen::Line::here())
{
    static_cast<void>(sync_id);
    a2agen::put_signal(dst, src, elem_size, sig_addr, signal, pe, 0, buf, line);
}

template <typename T>
void aclshmemx_udma_qp_put_signal_nbi(__gm__ T *dst, __gm__ T *src, uint32_t elem_size, __gm__ uint64_t *sig_addr,
                                      uint64_t signal, int pe, uint32_t qp_idx,
                                      a2agen::Line line = a2agen::Line::here())
{
    a2agen::put_signal(dst, src, elem_size, sig_addr, signal, pe, qp_idx, nullptr, line);
}

template <typename T>
void aclshmemx_udma_qp_put_signal_nbi(__gm__ T *dst, __gm__ T *src, uint32_t elem_size, __gm__ uint64_t *sig_addr,
                                      uint64_t signal, int pe, uint32_t qp_idx, __ubuf__ uint8_t *buf,
                                      uint32_t sync_id = 0, a2agen::Line line = a2agen::Line::here())
{
    static_cast<void>(sync_id);
    a2agen::put_signal(dst, src, elem_size, sig_addr, signal, pe, qp_idx, buf, line);
}

/// Of several queues to a peer this waits for the first alone.
static inline void aclshmemx_udma_quiet(int pe, a2agen::Line line = a2agen::Line::here())
{
    a2agen::quiet(pe, 0, line);
}
static inline void aclshmemx_udma_qp_quiet(int pe, uint32_t qp_idx, a2agen::Line line = a2agen::Line::here())
{
    a2agen::quiet(pe, qp_idx, line);
}
