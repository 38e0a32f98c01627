"""The stand-in for `triton.language`: what kernels compute with."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numpy as np

from a2agen.engines.cpu.affine import Affine
from a2agen.engines.cpu.blocks import Block, Values, bits_of
from a2agen.engines.cpu.dtypes import TRITON_NAMES, DType
from a2agen.engines.cpu.errors import UnsupportedError, check_options
from a2agen.engines.cpu.loadstore import LoadStore
from a2agen.engines.cpu.machine import Machine
from a2agen.engines.cpu.memory import Pointer, PointerType
from a2agen.engines.cpu.scalars import Behind, Int64, carried, plain, truncated
from a2agen.engines.cpu.signals import Signals


class Namespace(ModuleType):
    """A stand-in module: a name it lacks is reported as outside the subset."""

    def __init__(self, name: str, shown: str, **members: Any) -> None:
        super().__init__(name)
        self._shown = shown
        self.__dict__.update(members)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnsupportedError(f"{self._shown}.{name}")


class constexpr:  # noqa: N801 - Triton's name
    """The annotation; as a function it is the identity."""

    def __new__(cls, value: Any) -> Any:
        return value


def language(machine: Machine, signals: Signals) -> Namespace:
    """`triton.language` for the kernels of one machine."""
    memory = LoadStore(machine)

    def program_id(axis: int) -> int:
        return machine.core.pid if axis == 0 else 0

    def num_programs(axis: int) -> int:
        return machine.core.programs if axis == 0 else 1

    return Namespace(
        "triton.language",
        "tl",
        **TRITON_NAMES,
        constexpr=constexpr,
        load=memory.load,
        store=memory.store,
        program_id=program_id,
        num_programs=num_programs,
        arange=arange,
        cdiv=cdiv,
        minimum=_pairwise(builtins.min, np.minimum),
        maximum=_pairwise(builtins.max, np.maximum),
        where=where,
        cast=cast,
        zeros=lambda shape, dtype: full(shape, 0, dtype),
        full=full,
        broadcast_to=broadcast_to,
        expand_dims=expand_dims,
        range=_range,
        static_range=_range,
        pointer_type=PointerType,
        debug_barrier=signals.debug_barrier,
        static_assert=_assert,
        device_assert=_assert,
        static_print=lambda *_, **__: None,
        device_print=lambda *_, **__: None,
        multiple_of=lambda value, _: value,
        max_contiguous=lambda value, _: value,
        max_constancy=lambda value, _: value,
        assume=lambda _: None,
    )


def arange(start: int, end: int) -> Affine:
    """start, start + 1, …, end - 1; Triton wants their number to be a power of two."""
    n = end - start
    if n <= 0 or n & (n - 1):
        raise UnsupportedError(f"tl.arange({start}, {end}): the number of elements must be a power of two")
    return Affine(start, (n,), (1,))


def cdiv(a: int, b: int) -> int:
    """The quotient, rounded up; of a negative integer what Triton's way of computing it gives."""
    quotient: int = carried(truncated, a + b - 1, b)
    return quotient


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`."""
    if not isinstance(condition, Block):
        return a if condition else b
    chosen = np.where(condition.dense(), _dense(a), _dense(b))
    kept = next((x.dtype for x in (a, b) if type(x) is Values), None)
    return Values.of(chosen if kept is None else chosen.astype(kept.real))


def cast(value: Any, dtype: Any, **options: Any) -> Any:
    """A scalar, block or pointer in another type."""
    if isinstance(value, Block | Pointer):
        return value.to(dtype, **options)
    if not isinstance(dtype, DType):
        raise UnsupportedError(f"a cast of {type(value).__name__} to {dtype!r}")
    if not dtype.integer:
        return float(value)
    if type(value) is Behind:
        return carried(lambda number: cast(number, dtype), value)
    bits = 8 * dtype.itemsize
    wrapped = int(value) & ((1 << bits) - 1)
    if dtype.real.kind == "i" and wrapped >> (bits - 1):
        wrapped -= 1 << bits
    return Int64(wrapped) if bits == 64 else wrapped


def full(shape: Any, value: Any, dtype: DType) -> Values:
    """A block of one value."""
    extents = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    return Values(dtype, extents, np.full(extents, bits_of(value, dtype), dtype.bits))


def broadcast_to(block: Block, *shape: Any) -> Values:
    """A block stretched to a shape."""
    extents = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Iterable) else shape
    return Values.of(np.broadcast_to(block.dense(), extents))


def expand_dims(block: Any, axis: int) -> Any:
    """A block with a new axis of extent 1."""
    at = axis % (len(block.shape) + 1)
    return block[tuple(None if k == at else slice(None) for k in range(len(block.shape) + 1))]


def _dense(value: Any) -> Any:
    return value.dense() if isinstance(value, Block) else plain(value)


def _pairwise(scalar: Callable[..., Any], block: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, Block) or isinstance(b, Block):
            return Values.of(np.asarray(block(_dense(a), _dense(b))))
        return carried(scalar, a, b) if type(a) is Behind or type(b) is Behind else scalar(a, b)

    return apply


def _range(*bounds: int, **options: Any) -> range:
    check_options("tl.range", options, ("num_stages", "loop_unroll_factor", "flatten", "warp_specialize"))
    return numbers(*bounds)


def numbers(*bounds: int) -> range:
    """`range` of a kernel."""
    return range(*(operator.index(plain(bound)) for bound in bounds))


def _assert(condition: Any, message: str = "", **_: Any) -> None:
    holds = bool(condition.dense().all()) if isinstance(condition, Block) else bool(condition)
    if not holds:
        raise AssertionError(message or "assertion failed")
