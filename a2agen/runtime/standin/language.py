"""The stand-in for `triton_dist.language`, in inline PTX as Triton-Distributed lowers it.

`peers` is the table that `a2agen.runtime.standin.peers` lays out: the own rank, the number of ranks, for each rank the
bytes from this rank's symmetric heap to that rank's, and a word to spare. Every thread polls in `wait`, so that each
has acquired what it then reads. `notify` is a store by one thread of the program, released at system scope: with a
barrier of the program before it, it comes after what all its threads have stored. A notify of scope `inter_node` is
NVSHMEM's signal operation where the process has NVSHMEM, and does not leave the node where it has not.

Semantics: Triton-distributed@1512a81 TritonDistributedToLLVM/NVIDIA/DistributedOpToLLVM.cpp.
"""

from __future__ import annotations

import triton
import triton.language as tl

from a2agen.runtime.standin import nvshmem

HEADER = 2
"""Entries of the table before those of the ranks."""


@triton.jit
def rank(axis=-1, peers=None):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return tl.load(peers).to(tl.int32)


@triton.jit
def num_ranks(axis=-1, peers=None):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return tl.load(peers + 1).to(tl.int32)


@triton.jit
def symm_at(ptr, rank, peers=None):  # type: ignore[no-untyped-def]
    """The same place in the heap of another rank. Heaps start at multiples of far more than what a thread accesses at
    once, so the address is as well aligned as the one given."""
    size: tl.constexpr = ptr.dtype.element_ty.primitive_bitwidth // 8
    apart = tl.load(peers + (2 + rank))
    return ptr + tl.multiple_of(apart // size, 16)


@triton.jit
def wait(barrierPtrs, numBarriers, scope: tl.constexpr, semantic: tl.constexpr, waitValue=1, peers=None):  # type: ignore[no-untyped-def]  # noqa: ARG001, N803
    tl.static_assert(scope == "sys" and semantic == "acquire", "the stand-in waits with scope sys and acquire only")
    tl.static_assert(barrierPtrs.dtype.element_ty.primitive_bitwidth == 64, "the stand-in waits for int64 words only")
    value = tl.cast(waitValue, tl.int64)
    token = 0
    for n in range(numBarriers):
        at = (barrierPtrs + n).to(tl.int64)
        token = tl.inline_asm_elementwise(
            """
            {
                .reg .pred %differs;
                .reg .b64 %found;
            again:
                ld.acquire.sys.global.b64 %found, [$1];
                setp.ne.b64 %differs, %found, $2;
                @%differs bra again;
                mov.b32 $0, 0;
            }
            """,
            "=r,l,l",
            [at, value],
            dtype=tl.int32,
            is_pure=False,
            pack=1,
        )
    return token


@triton.jit
def consume_token(value, token, peers=None):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """The value itself: what stands behind a wait in the text is done behind it."""
    return value


@triton.jit
def notify(ptr, rank, signal=1, sig_op: tl.constexpr = "set", comm_scope: tl.constexpr = "inter_node", peers=None):  # type: ignore[no-untyped-def]
    tl.static_assert(comm_scope != "gpu", "the stand-in notifies ranks of a node, or beyond")
    if comm_scope == "inter_node" and nvshmem.IN_USE:
        own, spare = tl.load(peers), peers + (2 + tl.load(peers + 1))
        if sig_op == "set":
            nvshmem.signal_op(ptr, signal, nvshmem.SIGNAL_SET, rank, own, spare)
        else:
            tl.static_assert(sig_op == "add", "sig_op is set or add")
            nvshmem.signal_op(ptr, signal, nvshmem.SIGNAL_ADD, rank, own, spare)
    else:
        _notify_by_store(ptr, rank, signal, sig_op, peers)


@triton.jit
def _notify_by_store(ptr, rank, signal, sig_op: tl.constexpr, peers):  # type: ignore[no-untyped-def]
    at = symm_at(ptr, rank, peers).to(tl.int64)
    value = tl.cast(signal, tl.int64)
    if sig_op == "set":
        tl.inline_asm_elementwise(
            """
            {
                .reg .pred %first;
                .reg .b32 %thread;
                mov.u32 %thread, %tid.x;
                setp.eq.u32 %first, %thread, 0;
                @%first st.release.sys.global.b64 [$1], $2;
                mov.b32 $0, 0;
            }
            """,
            "=r,l,l",
            [at, value],
            dtype=tl.int32,
            is_pure=False,
            pack=1,
        )
    else:
        tl.static_assert(sig_op == "add", "sig_op is set or add")
        tl.inline_asm_elementwise(
            """
            {
                .reg .pred %first;
                .reg .b32 %thread;
                mov.u32 %thread, %tid.x;
                setp.eq.u32 %first, %thread, 0;
                @%first red.release.sys.global.add.u64 [$1], $2;
                mov.b32 $0, 0;
            }
            """,
            "=r,l,l",
            [at, value],
            dtype=tl.int32,
            is_pure=False,
            pack=1,
        )
