"""Reverse all-to-all, one put a peer, then quiet and notify; the own slab is copied. Launched after a host reset."""

import triton
import triton.language as tl
import triton_dist.language as dl
from triton_dist.language.extra import libshmem_device


@triton.jit
def exchange(A, C, P, ready, rank, W, S, D, TILE_D: tl.constexpr = 64):
    pid = tl.program_id(0)
    lane = pid // 2
    offs = tl.arange(0, TILE_D)
    tiles = tl.cdiv(D, TILE_D)
    if pid % 2 == 0:
        for i in range(lane, W - 1, tl.cdiv(tl.num_programs(0), 2)):
            to = (rank + i + 1) % W
            libshmem_device.putmem(P + rank * S * D, A + to * S * D, S * D * 2, to)
            libshmem_device.quiet()
            dl.notify(ready + rank * 8, to, signal=1, sig_op="set", comm_scope="intra_node")
    else:
        for task in range(lane, W * S * tiles, tl.num_programs(0) // 2):
            d0 = task % tiles * TILE_D
            s = task // tiles % S
            src = task // tiles // S
            mask = d0 + offs < D
            if src == rank:
                row = A + (rank * S + s) * D + d0
            else:
                arrived = dl.wait(ready + src * 8, 1, "sys", "acquire", waitValue=1)
                row = dl.consume_token(P, arrived) + (src * S + s) * D + d0
            tile = tl.load(row + offs, mask=mask)
            tl.store(C + (s * W + src) * D + d0 + offs, tile, mask=mask)
