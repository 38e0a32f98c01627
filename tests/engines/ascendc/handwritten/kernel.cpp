// A hand-written exchange: A [(to S) D] -> C [(from S) D], by puts into P [half from S D] and a word for each source.
// Even cores put to a peer each, odd cores copy what arrived; the epoch's parity chooses the half.
#include "kernel_operator.h"
#include "shmem.h"

using namespace AscendC;

namespace {

constexpr uint32_t TILE = 512;
constexpr int64_t WORD_STEP = 8;

using Element = bfloat16_t;

class Swap {
public:
    __aicore__ inline Swap(GM_ADDR A, GM_ADDR C, GM_ADDR P, GM_ADDR full, uint64_t epoch, int32_t W, int32_t S, int32_t D)
        : epoch(epoch), W(W), slab(int64_t{S} * D), rank(aclshmem_my_pe())
    {
        a = reinterpret_cast<__gm__ Element *>(A);
        c = reinterpret_cast<__gm__ Element *>(C);
        p = reinterpret_cast<__gm__ Element *>(P) + static_cast<int64_t>(epoch % 2) * W * slab;
        word = reinterpret_cast<__gm__ uint64_t *>(full) + static_cast<int64_t>(epoch % 2) * W * WORD_STEP;
        pipe.InitBuffer(tiles, 2 * TILE * sizeof(Element));
        pipe.InitBuffer(staging, ACLSHMEM_UDMA_MTE_STAGING_UB_SIZE);
    }

    __aicore__ inline void Process()
    {
        const int64_t lane = GetBlockIdx() / 2;
        const int64_t lanes = GetBlockNum() / 2;
        if (GetBlockIdx() % 2 == 0) {
            for (int64_t i = lane; i < W - 1; i += lanes) {
                Send(static_cast<int>((rank + i + 1) % W));
            }
        } else {
            SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
            SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
            for (int64_t from = lane; from < W; from += lanes) {
                Gather(static_cast<int>(from));
            }
            WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
            WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
        }
    }

private:
    __aicore__ inline void Send(int peer)
    {
        auto buf = reinterpret_cast<__ubuf__ Element *>(staging.Get<Element>().GetPhyAddr());
        aclshmemx_udma_put_nbi(p + rank * slab, a + peer * slab, buf, static_cast<uint32_t>(slab), peer);
        aclshmemx_udma_quiet(peer);
        aclshmem_uint64_p(word + rank * WORD_STEP, epoch, peer);
    }

    __aicore__ inline void Gather(int from)
    {
        __gm__ Element *source = a + rank * slab;
        if (from != rank) {
            aclshmem_uint64_wait_until(word + from * WORD_STEP, ACLSHMEM_CMP_EQ, epoch);
            source = p + from * slab;
        }
        Copy(c + from * slab, source);
    }

    __aicore__ inline void Copy(__gm__ Element *target, __gm__ Element *source)
    {
        LocalTensor<Element> both = tiles.Get<Element>();
        for (int64_t at = 0; at < slab; at += TILE) {
            const int64_t count = slab - at < TILE ? slab - at : TILE;
            const TEventID event = turn % 2 == 0 ? EVENT_ID0 : EVENT_ID1;
            LocalTensor<Element> tile = both[static_cast<uint32_t>(turn % 2 * TILE)];
            GlobalTensor<Element> from;
            GlobalTensor<Element> to;
            from.SetGlobalBuffer(source + at, count);
            to.SetGlobalBuffer(target + at, count);
            const DataCopyExtParams row(1, static_cast<uint32_t>(count * sizeof(Element)), 0, 0, 0);
            WaitFlag<HardEvent::MTE3_MTE2>(event);
            DataCopyPad(tile, from, row, DataCopyPadExtParams<Element>());
            SetFlag<HardEvent::MTE2_MTE3>(event);
            WaitFlag<HardEvent::MTE2_MTE3>(event);
            DataCopyPad(to, tile, row);
            SetFlag<HardEvent::MTE3_MTE2>(event);
            turn++;
        }
    }

    TPipe pipe;
    TBuf<TPosition::VECCALC> tiles;
    TBuf<TPosition::VECCALC> staging;
    uint64_t epoch;
    int64_t turn = 0;  // of the two halves of `tiles`
    int64_t W;
    int64_t slab;
    int rank;
    __gm__ Element *a;
    __gm__ Element *c;
    __gm__ Element *p;
    __gm__ uint64_t *word;
};

}  // namespace

extern "C" __global__ __aicore__ void swap_notify(GM_ADDR A, GM_ADDR C, GM_ADDR P, GM_ADDR full, uint64_t epoch,
                                                  int32_t W, int32_t S, int32_t D)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    Swap(A, C, P, full, epoch, W, S, D).Process();
}
