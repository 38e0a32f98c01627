"""Reverse all-to-all, one put a peer, with a device barrier at launch start and one when all has arrived."""

import triton
import triton.language as tl
from triton_dist.language.extra import libshmem_device


@triton.jit
def exchange(A, C, P, rank, W, S, D, TILE_D: tl.constexpr = 64):
    pid = tl.program_id(0)
    offs = tl.arange(0, TILE_D)
    tiles = tl.cdiv(D, TILE_D)
    libshmem_device.barrier_all()
    for i in range(pid, W - 1, tl.num_programs(0)):
        to = (rank + i + 1) % W
        libshmem_device.putmem(P + rank * S * D, A + to * S * D, S * D * 2, to)
    libshmem_device.quiet()
    libshmem_device.barrier_all()
    for task in range(pid, W * S * tiles, tl.num_programs(0)):
        d0 = task % tiles * TILE_D
        s = task // tiles % S
        src = task // tiles // S
        mask = d0 + offs < D
        out = C + (s * W + src) * D + d0
        if src == rank:
            tl.store(out + offs, tl.load(A + (rank * S + s) * D + d0 + offs, mask=mask), mask=mask)
        else:
            tl.store(out + offs, tl.load(P + (src * S + s) * D + d0 + offs, mask=mask), mask=mask)
