"""The stand-in for `libshmem_device`: what the emitted kernels use of it.

Puts are NVSHMEM's where the process has it (`nvshmem.IN_USE`), and then leave the node. Else the threads of the program
copy to the peer's address.
"""

from __future__ import annotations

import triton
import triton.language as tl

from a2agen.runtime.standin import language, nvshmem

NVSHMEM_SIGNAL_SET, NVSHMEM_SIGNAL_ADD = nvshmem.SIGNAL_SET, nvshmem.SIGNAL_ADD
PIECE = tl.constexpr(4096)
"""Elements that the threads of a program store at once where they copy themselves."""


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
    """Orders a thread's own accesses, at system scope, and its puts."""
    if nvshmem.IN_USE:
        nvshmem.fence()
    else:
        tl.inline_asm_elementwise(
            "{ fence.acq_rel.sys; mov.b32 $0, 0; }", "=r", [], dtype=tl.int32, is_pure=False, pack=1
        )


@triton.jit
def quiet(peers=None):  # type: ignore[no-untyped-def]
    """Waits for the puts of a thread. Where its own stores are the puts, they are ordered at system scope."""
    if nvshmem.IN_USE:
        nvshmem.quiet()
    else:
        fence(peers)


@triton.jit
def putmem_nbi_block(dest, source, nbytes, pe, peers=None):  # type: ignore[no-untyped-def]
    """All threads of the program put `nbytes` bytes together; without NVSHMEM they store them at the peer's address."""
    if nvshmem.IN_USE:
        nvshmem.putmem_nbi_block(dest, source, nbytes, pe)
    else:
        size: tl.constexpr = dest.dtype.element_ty.primitive_bitwidth // 8
        target = language.symm_at(dest, pe, peers)
        count = nbytes // size
        offsets = tl.arange(0, PIECE)
        for start in range(0, count, PIECE):
            mask = start + offsets < count
            tl.store(target + start + offsets, tl.load(source + start + offsets, mask=mask), mask=mask)


@triton.jit
def putmem_signal_nbi_block(dest, source, nbytes, sig_addr, signal, sig_op: tl.constexpr, pe, peers=None):  # type: ignore[no-untyped-def]
    """The same, and then the word at the peer: released at system scope when all threads have stored."""
    if nvshmem.IN_USE:
        nvshmem.putmem_signal_nbi_block(dest, source, nbytes, sig_addr, signal, sig_op, pe)
    else:
        putmem_nbi_block(dest, source, nbytes, pe, peers)
        tl.debug_barrier()
        if sig_op == NVSHMEM_SIGNAL_SET:
            language.notify(sig_addr, pe, signal, "set", "intra_node", peers)
        else:
            tl.static_assert(sig_op == NVSHMEM_SIGNAL_ADD, "sig_op is NVSHMEM_SIGNAL_SET or NVSHMEM_SIGNAL_ADD")
            language.notify(sig_addr, pe, signal, "add", "intra_node", peers)
