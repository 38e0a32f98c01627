"""From indices to offsets: how an access lies in flat memory, and how wide its arithmetic must be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from a2agen.ir.expr import CeilDiv, Const, Expr, Mul, Sym, add, horner, mul, show, substitute
from a2agen.ir.model import Layout
from a2agen.ir.plan import Access, Let, Memory, Plan, Put, Word, Words
from a2agen.passes.words import word_count

_INT32 = 2**31
FLAG_PAYLOAD, FLAG_BLOCK = Sym("FLAG_PAYLOAD"), Sym("FLAG_BLOCK")
"""The elements of a flag block, without its flag and with it, as kernels that have such blocks call them."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a back end writes expressions: its `words` for functions and for `//`, and what makes a value 64 bits wide
    (None where all integers are)."""

    words: Mapping[str, str] = field(hash=False)
    wide: str | None = None

    def text(self, expr: Expr) -> str:
        return show(expr, self.words)

    def widened(self, expr: Expr) -> Expr:
        return expr if self.wide is None else Sym(self.wide.format(self.text(expr)))


TRITON = Dialect(
    MappingProxyType({"cdiv": "tl.cdiv", "min": "tl.minimum", "max": "tl.maximum"}), wide="tl.cast({}, tl.int64)"
)


def text(expr: Expr) -> str:
    """An expression in a Triton kernel."""
    return TRITON.text(expr)


def base(plan: Plan, access: Access, dialect: Dialect = TRITON) -> Expr:
    """The offset in elements of an access's first element, in 64 bits where it can be 2**31 or more.

    In a memory with flag blocks the access begins at the start of a block.
    """
    memory = plan.memory(access.memory)
    index = list(access.index)
    extents = _extents(memory)
    if memory.flags is not None:
        axis, start = index[-1]
        index[-1] = (axis, start if start == Const(0) else start // FLAG_PAYLOAD * FLAG_BLOCK)
    if not memory.strided:
        wide = reaches(plan, memory.elements)
        if memory.slab is None:
            return horner([(at, extents[axis]) for axis, at in (_widened(index, dialect) if wide else index)])
        slabs, within = index[: memory.outer], index[memory.outer :]
        slabs = _widened(slabs, dialect) if wide else slabs
        within = _widened(within, dialect) if reaches(plan, memory.slab.elements) else within
        number, offset = (horner([(at, extents[axis]) for axis, at in part]) for part in (slabs, within))
        return number * Sym(memory.slab.name) + offset
    # How far apart a caller's elements lie is bounded by nothing that the spec says.
    at = dict(index)
    layout = plan.schedule.storage(memory.name).layout
    terms = []
    for n, group in enumerate(layout.factors):
        within = [(axis, at[axis]) for axis in group]
        wide = reaches(plan, mul(*(extents[axis] for axis in group)))
        offset = horner([(i, extents[axis]) for axis, i in (_widened(within, dialect) if wide else within)])
        if offset != Const(0):
            terms.append((offset if wide else dialect.widened(offset)) * stride_name(memory, n))
    return add(*terms)


def count(plan: Plan, let: Let) -> Let:
    """A launch-wide value, computed in 64 bits where it, or what it is computed from, can be 2**31 or more.

    A small value is one of 32 bits all the same: loop counters come of it, which are of one type in a whole kernel.
    """
    if not any(reaches(plan, part) for part in _computed(let.value)):
        return let
    constants = dict(plan.constants)
    first = next(name for name in let.value.names() if name not in constants)
    value = substitute(let.value, {first: TRITON.widened(Sym(first))})
    return replace(let, value=value if reaches(plan, let.value) else Sym(f"tl.cast({text(value)}, tl.int32)"))


def _computed(expr: Expr) -> Iterator[Expr]:
    """An expression and all that is computed on the way to it."""
    yield expr
    if isinstance(expr, CeilDiv):
        # What `cdiv` divides.
        yield expr.left + expr.right
    for part in expr.children():
        yield from _computed(part)


def put_bytes(plan: Plan, put: Put) -> Expr:
    """The length of a put in bytes, computed in 64 bits where it can be 2**31 or more."""
    schedule = plan.schedule
    storage = schedule.storage(put.source.memory)
    size = put.elements * storage.element_bytes
    axes = [axis for axis in storage.layout.axes if axis != storage.peer_axis]
    # A slab of the source at most, whatever part of it the put is.
    if not reaches(plan, mul(*(schedule.exchange.extent(axis) for axis in axes), storage.element_bytes)):
        return size
    first, *rest = size.factors if isinstance(size, Mul) else (size,)
    return mul(TRITON.widened(first), *rest)


def stride(plan: Plan, memory: Memory, axis: str, dialect: Dialect = TRITON) -> Expr:
    """How many elements apart neighbours along an axis lie."""
    names = [a for a, _ in memory.axes]
    extents = _extents(memory)
    if not memory.strided:
        step = mul(*(extents[a] for a in names[names.index(axis) + 1 :]))
    else:
        layout: Layout = plan.schedule.storage(memory.name).layout
        number = next(n for n, group in enumerate(layout.factors) if axis in group)
        group = layout.factors[number]
        step = mul(*(extents[a] for a in group[group.index(axis) + 1 :]), stride_name(memory, number))
    if dialect.wide is None:
        return step
    size = max((value for name, value in plan.constants if name.startswith("TILE") or "_TILE_" in name), default=1)
    if memory.strided or reaches(plan, step * size):
        first, *rest = step.factors if isinstance(step, Mul) else (step,)
        step = mul(dialect.widened(first), *rest)
    return step


def _extents(memory: Memory) -> dict[str, Expr]:
    """How many elements each axis counts, those of flags included."""
    extents = dict(memory.axes)
    if memory.flags is not None:
        extents[memory.axes[-1][0]] = Sym(memory.flags.name)
    return extents


def stride_name(memory: Memory, factor: int) -> Sym:
    """The kernel argument with the stride of a strided tensor's dimension."""
    return Sym(f"stride_{memory.name}_{factor}")


def word_offset(plan: Plan, word: Word, dialect: Dialect = TRITON) -> Expr:
    """The offset in int64 elements of a signal word within its region."""
    region = plan.region(word.words)
    index = list(word.index)
    step = plan.schedule.target.signal_stride_bytes // 8
    if reaches(plan, elements_of(region, plan) * step):
        index = _widened(index, dialect)
    known = {_with_constants(plan, let.value): Sym(let.name) for let in plan.counts}
    extents = {axis: known.get(extent, extent) for axis, extent in region.axes}
    return horner([(at, extents[axis]) for axis, at in index]) * step


def elements_of(region: Words, plan: Plan) -> Expr:
    """How many words a region has, over the extents, with the plan's own number of cores."""
    return substitute(word_count(region), {"cores": Const(plan.cores)})


def reaches(plan: Plan, expr: Expr) -> bool:
    """Whether an expression over extents and constants can be 2**31 or more."""
    known = substitute(_with_constants(plan, expr), {"cores": Const(plan.cores)})
    return plan.schedule.exchange.bounds.above(known, _INT32 - 1) is not None


def _with_constants(plan: Plan, expr: Expr) -> Expr:
    return substitute(expr, {name: Const(value) for name, value in plan.constants})


def _widened(index: list[tuple[str, Expr]], dialect: Dialect) -> list[tuple[str, Expr]]:
    """The indices with the first that is not 0 cast to 64 bits: the rest of the arithmetic follows it."""
    for position, (axis, at) in enumerate(index):
        if at != Const(0):
            return [*index[:position], (axis, dialect.widened(at)), *index[position + 1 :]]
    return index
