"""NVSHMEM's device functions for the stand-in, where torch's symmetric memory is NVSHMEM's.

`TORCH_SYMMMEM=NVSHMEM` in the environment, before torch is imported, makes torch allocate symmetric memory by NVSHMEM.
Its device library is bitcode, which Triton links into a kernel that asks for it; the module must then be told where the
heap of its process is. Without it the stand-in copies by the program's own threads, which stays on the node.

Addresses are handed over as integers, since Triton's table of signatures knows no pointers.
"""

from __future__ import annotations

import os
from typing import Any

import triton
import triton.language as tl
from triton.language import core

IN_USE = tl.constexpr(os.environ.get("TORCH_SYMMMEM", "").upper() == "NVSHMEM")
"""Whether symmetric memory of this process is NVSHMEM's; kernels are compiled by it."""
SIGNAL_SET, SIGNAL_ADD = tl.constexpr(9), tl.constexpr(10)
"""NVSHMEM_SIGNAL_SET and NVSHMEM_SIGNAL_ADD of nvshmem_common.h."""
LIBRARY = "libnvshmem_device"


class NvshmemError(RuntimeError):
    """NVSHMEM is asked for, and not to be had here; the text says what is missing."""


def libraries() -> dict[str, str]:
    """The bitcode that a kernel is linked with, by name. Raises NvshmemError where torch does not find it."""
    try:
        from torch.distributed._symmetric_memory import _nvshmem_triton as bindings  # noqa: PLC0415 - where CUDA is

        return {LIBRARY: bindings.NvshmemLibFinder.find_device_library()}
    except (ImportError, AttributeError, RuntimeError) as failure:
        raise NvshmemError(
            f"puts need NVSHMEM's device library ({failure}): install nvidia-nvshmem-cu13, or leave TORCH_SYMMMEM out "
            "to copy within the node"
        ) from failure


def initialise(module: Any) -> None:
    """Tell a loaded kernel's module where this process's heap is. Raises NvshmemError where torch cannot."""
    try:
        from torch._C._distributed_c10d import _nvshmemx_cumodule_init  # noqa: PLC0415 - where CUDA is
    except ImportError as failure:
        raise NvshmemError(f"this torch has no NVSHMEM ({failure})") from failure
    _nvshmemx_cumodule_init(module)


def wanted_by(text: str) -> bool:
    """Whether a kernel's text calls what NVSHMEM is linked for."""
    return bool(IN_USE.value) and ("libshmem_device." in text or '"inter_node"' in text)


@core.extern
def _put(dest, source, nbytes, pe, _semantic=None):  # type: ignore[no-untyped-def]
    types = (core.dtype("int64"), core.dtype("int64"), core.dtype("int64"), core.dtype("int32"))
    symbol = ("nvshmemx_putmem_nbi_block", core.dtype("int32"))
    return core.extern_elementwise(
        "", "", [dest, source, nbytes, pe], {types: symbol}, is_pure=False, _semantic=_semantic
    )


@core.extern
def _put_signal(dest, source, nbytes, word, value, how, pe, _semantic=None):  # type: ignore[no-untyped-def]
    wide, narrow = core.dtype("int64"), core.dtype("int32")
    symbol = ("nvshmemx_putmem_signal_nbi_block", narrow)
    return core.extern_elementwise(
        *("", "", [dest, source, nbytes, word, value, how, pe]),
        {(wide, wide, wide, wide, wide, narrow, narrow): symbol},
        is_pure=False,
        _semantic=_semantic,
    )


@core.extern
def _signal(word, value, how, pe, _semantic=None):  # type: ignore[no-untyped-def]
    wide, narrow = core.dtype("int64"), core.dtype("int32")
    symbol = ("nvshmemx_signal_op", narrow)
    return core.extern_elementwise(
        "", "", [word, value, how, pe], {(wide, wide, narrow, narrow): symbol}, is_pure=False, _semantic=_semantic
    )


@core.extern
def quiet(_semantic=None):  # type: ignore[no-untyped-def]
    """Each thread waits for its own puts."""
    symbol = ("nvshmem_quiet", core.dtype("int32"))
    return core.extern_elementwise("", "", [], {(): symbol}, is_pure=False, _semantic=_semantic)


@core.extern
def fence(_semantic=None):  # type: ignore[no-untyped-def]
    """Orders a thread's own puts and stores."""
    symbol = ("nvshmem_fence", core.dtype("int32"))
    return core.extern_elementwise("", "", [], {(): symbol}, is_pure=False, _semantic=_semantic)


@triton.jit
def putmem_nbi_block(dest, source, nbytes, pe):  # type: ignore[no-untyped-def]
    """All threads of the program together put `nbytes` bytes."""
    _put(dest.to(tl.int64), source.to(tl.int64), tl.cast(nbytes, tl.int64), tl.cast(pe, tl.int32))


@triton.jit
def putmem_signal_nbi_block(dest, source, nbytes, word, value, how: tl.constexpr, pe):  # type: ignore[no-untyped-def]
    """The same; the word is set, or added to, when the data is there."""
    _put_signal(
        dest.to(tl.int64),
        source.to(tl.int64),
        tl.cast(nbytes, tl.int64),
        word.to(tl.int64),
        tl.cast(value, tl.int64),
        tl.cast(how, tl.int32),
        tl.cast(pe, tl.int32),
    )


@triton.jit
def signal_op(word, value, how: tl.constexpr, pe, own, spare):  # type: ignore[no-untyped-def]
    """One thread of the program sets the word at `pe`, or adds to it.

    A call cannot be left out for single threads, so the others set a word at their own rank, `own`, that nobody reads:
    `spare`. The stand-in's programs have as many elements here as threads, so each thread makes one call.
    """
    first = tl.arange(0, tl.extra.cuda.num_threads()) == 0
    _signal(
        tl.where(first, word.to(tl.int64), spare.to(tl.int64)),
        tl.where(first, tl.cast(value, tl.int64), tl.cast(0, tl.int64)),
        tl.where(first, tl.cast(how, tl.int32), tl.cast(SIGNAL_SET, tl.int32)),
        tl.where(first, tl.cast(pe, tl.int32), tl.cast(own, tl.int32)),
    )
