"""The operations in stock Triton where they give a value, for bishengir-compile on chips where it refuses those marks.

A rank is program id 2, and a peer's memory lies HEAP bytes behind that of the rank before it. A wait is a loop of
volatile loads. Its token is 0 when the loop is done, but no compiler knows: what consumes it depends on the loop.
What has no result is the mark of `dist`.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"

import triton
import triton.language as tl
from triton.language.core import builtin

from a2agen.engines.ascend_ir.standin import dist
from a2agen.engines.ascend_ir.standin.signatures import SCOPES, SEMANTICS, integer, one_of, pointer, unwrapped, words

HEAP = 1 << 26
"""Bytes from one rank's symmetric memory to the next."""

STRIDE = 8
"""Words of 8 bytes from one word of a wait to the next."""

_STRIDE: tl.constexpr = tl.constexpr(STRIDE)

notify, putmem, fence, quiet = dist.notify, dist.putmem, dist.fence, dist.quiet
barrier_all, barrier_all_vec = dist.barrier_all, dist.barrier_all_vec


@triton.jit
def _spin(ptr, value):
    seen = tl.load(ptr, volatile=True)
    while seen != value:
        seen = tl.load(ptr, volatile=True)
    return (seen - value).to(tl.int32)


@triton.jit
def _spin_all(ptr, words, value):
    token = tl.cast(0, tl.int32)
    for i in range(words):
        token = tl.minimum(token, _spin(ptr + i * _STRIDE, value))
    return token


@triton.jit
def _consume(value, token):
    return value + tl.minimum(token, 0)


@triton.jit
def _at(ptr, rank, apart: tl.constexpr):
    return ptr + tl.cast(rank - tl.program_id(2), tl.int64) * apart


@triton.jit
def _rank():
    return tl.program_id(2)


@triton.jit
def _num_ranks():
    return tl.num_programs(2)


@builtin
def rank(axis=-1, _builder=None, _generator=None):  # noqa: ARG001
    return _generator.call_JitFunction(_rank, [], {})


@builtin
def num_ranks(axis=-1, _builder=None, _generator=None):  # noqa: ARG001
    return _generator.call_JitFunction(_num_ranks, [], {})


@builtin
def symm_at(ptr, rank, _builder=None, _generator=None):
    pointer(ptr, "symm_at")
    integer(rank, "symm_at, rank")
    return at_rank(_generator, ptr, rank)


def at_rank(generator, ptr, rank):
    apart = HEAP // (ptr.dtype.element_ty.primitive_bitwidth // 8)
    return generator.call_JitFunction(_at, [ptr, rank, tl.constexpr(apart)], {})


@builtin
def wait(barrierPtrs, numBarriers, scope, semantic, waitValue=1, _builder=None, _generator=None):  # noqa: N803
    return awaited(_generator, _spin, _spin_all, barrierPtrs, numBarriers, scope, semantic, waitValue)


def awaited(generator, one, several, ptr, number, scope, semantic, value):
    """A wait by the functions for one word and for several."""
    words(ptr, "wait")
    integer(number, "wait, numBarriers")
    integer(value, "wait, waitValue")
    one_of(scope, SCOPES, "wait, scope")
    one_of(semantic, SEMANTICS, "wait, semantic")
    known = unwrapped(number)
    if isinstance(known, int) and known == 1:
        return generator.call_JitFunction(one, [ptr, value], {})
    return generator.call_JitFunction(several, [ptr, number, value], {})


@builtin
def consume_token(value, token, _builder=None, _generator=None):
    integer(token, "consume_token, token")
    return _generator.call_JitFunction(_consume, [value, token], {})
