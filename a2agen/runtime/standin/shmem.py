"""The stand-in for `libshmem_device`: what the emitted kernels use of it within a node."""

from __future__ import annotations

import triton
import triton.language as tl

from a2agen.runtime.standin import language


@triton.jit
def my_pe(peers=None):  # type: ignore[no-untyped-def]
    return language.rank(-1, peers)


@triton.jit
def n_pes(peers=None):  # type: ignore[no-untyped-def]
    return language.num_ranks(-1, peers)


@triton.jit
def remote_ptr(ptr, pe, peers=None):  # type: ignore[no-untyped-def]
    return language.symm_at(ptr, pe, peers)


@triton.jit
def fence(peers=None):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Orders a thread's own accesses, at system scope."""
    tl.inline_asm_elementwise("{ fence.acq_rel.sys; mov.b32 $0, 0; }", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
