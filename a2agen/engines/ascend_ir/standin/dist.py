"""The operations as marks, for bishengir-compile on the chips where it takes operations that give a value.

Names and operands of the symbols are those that Triton-Distributed's own pass makes for Ascend.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,untyped-decorator"

from itertools import count

import triton
import triton.language as tl
from triton.language.core import builtin

from a2agen.engines.ascend_ir.names import TOKEN
from a2agen.engines.ascend_ir.standin import marks
from a2agen.engines.ascend_ir.standin.marks import mark, scalar
from a2agen.engines.ascend_ir.standin.signatures import (
    REACHES,
    SCOPES,
    SEMANTICS,
    SIGNALS,
    element,
    integer,
    one_of,
    pointer,
    words,
)

_tokens = count()


@triton.jit
def _seen(ptr):
    return tl.load(ptr, volatile=True)


@builtin
def rank(axis=-1, _builder=None):  # noqa: ARG001
    return marks.value(_builder, "aclshmem_my_pe", [], tl.int32)


@builtin
def num_ranks(axis=-1, _builder=None):  # noqa: ARG001
    return marks.value(_builder, "aclshmem_n_pes", [], tl.int32)


@builtin
def symm_at(ptr, rank, _builder=None):
    integer(rank, "symm_at, rank")
    name = f"aclshmem_ptr_{pointer(ptr, 'symm_at')}"
    return marks.value(_builder, name, [ptr, scalar(rank, tl.int32, _builder)], ptr.type)


@builtin
def wait(barrierPtrs, numBarriers, scope, semantic, waitValue=1, _builder=None, _generator=None):  # noqa: N803
    name = f"aclshmem_wait_{words(barrierPtrs, 'wait')}"
    integer(numBarriers, "wait, numBarriers")
    integer(waitValue, "wait, waitValue")
    one_of(scope, SCOPES, "wait, scope")
    one_of(semantic, SEMANTICS, "wait, semantic")
    # The wait keeps its place as a print, and a number ties its token to it. The token takes in a volatile load, which
    # nothing moves: a value of constants would be hoisted to before the wait, with all that consumes it.
    number = scalar(next(_tokens), tl.int32, _builder)
    awaited = scalar(waitValue, barrierPtrs.dtype.element_ty, _builder)
    mark(_builder, name, [barrierPtrs, scalar(numBarriers, tl.int32, _builder), awaited, number])
    seen = _generator.call_JitFunction(_seen, [barrierPtrs], {})
    return marks.value(_builder, TOKEN, [number, seen], tl.int32)


@builtin
def notify(ptr, rank, signal=1, sig_op="set", comm_scope="inter_node", _builder=None):
    name = words(ptr, "notify")
    if name != "int64":
        raise TypeError(f"notify: expected a pointer to int64, got {ptr.type}")
    integer(rank, "notify, rank")
    integer(signal, "notify, signal")
    one_of(sig_op, SIGNALS, "notify, sig_op")
    one_of(comm_scope, REACHES, "notify, comm_scope")
    args = [ptr, scalar(signal, ptr.dtype.element_ty, _builder), scalar(rank, tl.int32, _builder)]
    mark(_builder, f"aclshmem_{name}_p", args)


@builtin
def consume_token(value, token, _builder=None):
    integer(token, "consume_token, token")
    dtype = value.type
    if dtype.is_ptr():
        name = f"{pointer(value, 'consume_token')}_ptr_1d"
    elif isinstance(value, tl.tensor) and not dtype.is_block():
        name = element(dtype, "consume_token")
    else:
        raise TypeError(f"consume_token: expected a pointer or a number, got {dtype}")
    return marks.value(_builder, f"aclshmem_consume_token_{name}", [value, token], dtype)


@builtin
def putmem(dest, source, nbytes, pe, _builder=None):
    pointer(dest, "putmem, dest")
    pointer(source, "putmem, source")
    integer(nbytes, "putmem, nbytes")
    integer(pe, "putmem, pe")
    size, peer = scalar(nbytes, tl.int32, _builder), scalar(pe, tl.int32, _builder)
    mark(_builder, "aclshmem_putmem", [dest, source, size, peer])


@builtin
def fence(_builder=None):
    mark(_builder, "aclshmem_fence", [])


@builtin
def quiet(_builder=None):
    mark(_builder, "aclshmem_quiet", [])


@builtin
def barrier_all(_builder=None):
    mark(_builder, "aclshmem_barrier_all", [])


@builtin
def barrier_all_vec(_builder=None):
    mark(_builder, "aclshmemx_barrier_all_vec", [])
