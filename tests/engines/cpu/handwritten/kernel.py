"""Reverse all-to-all, pipelined by load/store: a sender and a reader share one mailbox word a tile. Written by hand."""

import triton
import triton.language as tl
import triton_dist.language as dl
from triton_dist.language.extra import libshmem_device


@triton.jit
def reverse_all2all_mte_pipelined(
    A,  # in, bf16 [(to S) H D]
    C,  # out, bf16 [S (from H) D]
    P,  # symmetric, bf16 [2 slots][S 8, (from H), D]
    send_full,  # symmetric, int64 words: 0 empty, 1 full
    rank,
    W,
    S,
    H,
    D,
    BLOCK_S: tl.constexpr = 8,
    TILE_S: tl.constexpr = 8,
    TILE_D: tl.constexpr = 256,
):
    pid = tl.program_id(0)
    lane = pid // 2
    blocks_s = tl.cdiv(S, BLOCK_S)
    tiles_d = tl.cdiv(D, TILE_D)
    offs_s = tl.arange(0, TILE_S)
    offs_d = tl.arange(0, TILE_D)

    if pid % 2 == 0:
        # sender: A -> P at every rank
        lanes = tl.cdiv(tl.num_programs(0), 2)
        for blk in range(blocks_s):
            slot = blk % 2
            for task in range(lane, H * tiles_d * W, lanes):
                to = task % W
                d_tile = task // W % tiles_d
                h = task // W // tiles_d
                s0 = blk * BLOCK_S
                d0 = d_tile * TILE_D
                mask = (s0 + offs_s < S)[:, None] & (d0 + offs_d < D)[None, :]
                word = send_full + (((slot * H + h) * tiles_d + d_tile) * W + rank) * 8

                src = A + ((to * S + s0) * H + h) * D + d0
                tile = tl.load(src + offs_s[:, None] * (H * D) + offs_d[None, :], mask=mask)
                token = dl.wait(dl.symm_at(word, to), 1, "sys", "acquire", waitValue=0)
                dst = dl.consume_token(dl.symm_at(P, to), token) + ((slot * BLOCK_S * W + rank) * H + h) * D + d0
                tl.store(dst + offs_s[:, None] * (W * H * D) + offs_d[None, :], tile, mask=mask)
                libshmem_device.fence()
                dl.notify(word, to, signal=1, sig_op="set", comm_scope="intra_node")
    else:
        # reader: P -> C
        lanes = tl.num_programs(0) // 2
        for blk in range(blocks_s):
            slot = blk % 2
            for task in range(lane, H * tiles_d * W, lanes):
                src_rank = task % W
                d_tile = task // W % tiles_d
                h = task // W // tiles_d
                s0 = blk * BLOCK_S
                d0 = d_tile * TILE_D
                mask = (s0 + offs_s < S)[:, None] & (d0 + offs_d < D)[None, :]
                word = send_full + (((slot * H + h) * tiles_d + d_tile) * W + src_rank) * 8

                token = dl.wait(word, 1, "sys", "acquire", waitValue=1)
                src = dl.consume_token(P, token) + ((slot * BLOCK_S * W + src_rank) * H + h) * D + d0
                tile = tl.load(src + offs_s[:, None] * (W * H * D) + offs_d[None, :], mask=mask)
                dst = C + ((s0 * W + src_rank) * H + h) * D + d0
                tl.store(dst + offs_s[:, None] * (W * H * D) + offs_d[None, :], tile, mask=mask)
                libshmem_device.fence()
                dl.notify(word, rank, signal=0, sig_op="set", comm_scope="intra_node")
