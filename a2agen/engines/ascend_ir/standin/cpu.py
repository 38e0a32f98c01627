"""All operations for a run on the CPU: symmetric memory is one block, a put is a loop of copies, and a spinning wait
lets other threads run. Stores become visible in order, so there is nothing to do for a fence or a quiet."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"

import triton
import triton.language as tl
from triton.language.core import builtin

from a2agen.engines.ascend_ir.standin import stock
from a2agen.engines.ascend_ir.standin.marks import mark
from a2agen.engines.ascend_ir.standin.signatures import REACHES, SIGNALS, integer, one_of, pointer, words

rank, num_ranks, symm_at, consume_token = stock.rank, stock.num_ranks, stock.symm_at, stock.consume_token

YIELD, BARRIER = "sched_yield", "barrier"
"""The marks that a run gives functions for."""

_STRIDE: tl.constexpr = tl.constexpr(stock.STRIDE)
_CHUNK: tl.constexpr = tl.constexpr(1024)


@builtin
def others(_builder=None):
    """Let other threads run."""
    mark(_builder, YIELD, [])


@triton.jit
def _spin(ptr, value):
    seen = tl.load(ptr, volatile=True)
    while seen != value:
        others()
        seen = tl.load(ptr, volatile=True)
    return (seen - value).to(tl.int32)


@triton.jit
def _spin_all(ptr, words, value):
    token = tl.cast(0, tl.int32)
    for i in range(words):
        token = tl.minimum(token, _spin(ptr + i * _STRIDE, value))
    return token


@triton.jit
def _store(ptr, value):
    tl.store(ptr, value)


@triton.jit
def _copy(target, source, elements):
    for start in range(0, elements, _CHUNK):
        at = start + tl.arange(0, _CHUNK)
        tl.store(target + at, tl.load(source + at, mask=at < elements), mask=at < elements)


@triton.jit
def _elements(size, width: tl.constexpr):
    return size // width


@builtin
def wait(barrierPtrs, numBarriers, scope, semantic, waitValue=1, _builder=None, _generator=None):  # noqa: N803
    return stock.awaited(_generator, _spin, _spin_all, barrierPtrs, numBarriers, scope, semantic, waitValue)


@builtin
def notify(ptr, rank, signal=1, sig_op="set", comm_scope="inter_node", _builder=None, _generator=None):
    words(ptr, "notify")
    integer(rank, "notify, rank")
    integer(signal, "notify, signal")
    one_of(sig_op, SIGNALS, "notify, sig_op")
    one_of(comm_scope, REACHES, "notify, comm_scope")
    _generator.call_JitFunction(_store, [stock.at_rank(_generator, ptr, rank), signal], {})


@builtin
def putmem(dest, source, nbytes, pe, _builder=None, _generator=None):
    pointer(dest, "putmem, dest")
    pointer(source, "putmem, source")
    integer(nbytes, "putmem, nbytes")
    integer(pe, "putmem, pe")
    width = tl.constexpr(dest.dtype.element_ty.primitive_bitwidth // 8)
    elements = _generator.call_JitFunction(_elements, [nbytes, width], {})
    _generator.call_JitFunction(_copy, [stock.at_rank(_generator, dest, pe), source, elements], {})


@builtin
def fence(_builder=None):
    pass


@builtin
def quiet(_builder=None):
    pass


@builtin
def barrier_all(_builder=None):
    mark(_builder, BARRIER, [])


barrier_all_vec = barrier_all
