"""Reverse all-to-all straight into the peers' outputs, for a GPU: rounds, one entry word and one counter a peer."""

import triton.language as tl
import triton_dist
import triton_dist.language as dl


@triton_dist.jit(do_not_specialize=["rank"])
def exchange(A, C, ready, entered, rounds, rank, W, S, D, TILE_D: tl.constexpr = 64):
    pid = tl.program_id(0)
    cores = tl.num_programs(0)
    offs = tl.arange(0, TILE_D)
    n = tl.load(rounds + pid * 8) + 1
    for i in range(pid, W, cores):
        dl.notify(entered + rank * 8, (rank + i) % W, signal=n, sig_op="set", comm_scope="intra_node")
    for task in range(pid, W * S * tl.cdiv(D, TILE_D), cores):
        to = (rank + task) % W
        s = task // W % S
        d0 = task // W // S * TILE_D
        mask = d0 + offs < D
        admitted = dl.wait(entered + to * 8, 1, "sys", "acquire", waitValue=n)
        tile = tl.load(A + (to * S + s) * D + d0 + offs, mask=mask)
        row = dl.consume_token(dl.symm_at(C, to), admitted) + (s * W + rank) * D + d0
        tl.store(row + offs, tile, mask=mask)
    tl.debug_barrier()
    for i in range(W):
        to = (rank + i) % W
        admitted = dl.wait(entered + to * 8, 1, "sys", "acquire", waitValue=n)
        word = dl.consume_token(ready, admitted) + rank * 8
        dl.notify(word, to, signal=1, sig_op="add", comm_scope="intra_node")
    for i in range(pid, W, cores):
        arrived = dl.wait(ready + (rank + i) % W * 8, 1, "sys", "acquire", waitValue=n * cores)
        rounds = dl.consume_token(rounds, arrived)
    tl.store(rounds + pid * 8, n)
