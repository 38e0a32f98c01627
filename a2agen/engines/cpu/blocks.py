"""Blocks of a kernel, kept as formulas where they are ones: offsets as affine functions, masks as boxes.

Nearly all blocks of an emitted kernel are built of `arange`, sums, products with scalars and comparisons with bounds.
Kept so, an access needs one strided view in place of index arrays. What leaves the affine subset becomes `Values`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from a2agen.engines.cpu import dtypes
from a2agen.engines.cpu.dtypes import DType
from a2agen.engines.cpu.errors import UnsupportedError
from a2agen.engines.cpu.scalars import plain

Shape: TypeAlias = tuple[int, ...]
Box: TypeAlias = tuple[tuple[int, int], ...]
Array: TypeAlias = np.ndarray[Any, Any]

POISON = 0xA5
"""The byte of lanes and memory that nothing defined."""


def broadcast(a: Shape, b: Shape) -> Shape:
    """The common shape of two blocks of equal rank; an axis of extent 1 stretches."""
    if a == b:
        return a
    if len(a) != len(b):
        if not a or not b:
            return a or b
        raise UnsupportedError(f"blocks of shapes {a} and {b}: Triton needs equal ranks, expand with [:, None]")
    out = []
    for m, n in zip(a, b, strict=True):
        if n not in (m, 1) and m != 1:
            raise UnsupportedError(f"blocks of shapes {a} and {b} do not fit together")
        out.append(max(m, n))
    return tuple(out)


_ALL = slice(None)
COLUMN, ROW = (_ALL, None), (None, _ALL)
"""The indices that make up nearly all: [:, None] and [None, :]."""


def expand(shape: Shape, fill: tuple[Any, ...], key: Any, blank: Any) -> tuple[Shape, tuple[Any, ...]]:
    """Apply an index of `:` and `None` to a shape and to one thing an axis; a new axis gets `blank`."""
    keys = key if isinstance(key, tuple) else (key,)
    axes = iter(zip(shape, fill, strict=True))
    out = []
    for k in keys:
        if k is None:
            out.append((1, blank))
        elif isinstance(k, slice) and k == _ALL:
            axis = next(axes, None)
            if axis is None:
                raise UnsupportedError(f"an index with {len(keys)} places on a block of shape {shape}")
            out.append(axis)
        else:
            raise UnsupportedError(f"the index {k!r} of a block: there are ':' and None")
    if next(axes, None) is not None:
        raise UnsupportedError(f"an index with {len(keys)} places on a block of shape {shape}")
    return tuple(s for s, _ in out), tuple(f for _, f in out)


class Block:
    """What affine blocks, masks and values share: everything that leaves the formulas goes through `dense`."""

    __slots__ = ()
    # numpy must leave mixed expressions to the methods below.
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    shape: Shape

    def dense(self) -> Array:
        """The elements, computed."""
        raise NotImplementedError

    def to(self, dtype: DType, **_: Any) -> Block:
        """The block in another type."""
        return Values.of(self.dense().astype(dtype.real))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnsupportedError(f".{name} of a block")

    def __pow__(self, other: Any) -> Any:
        raise UnsupportedError("the operator ** on a block")

    def __bool__(self) -> bool:
        raise UnsupportedError("a block as a condition of `if`, `and`, `or` or `not`")

    def _combine(self, other: Any, how: Callable[[Any, Any], Any], swap: bool = False) -> Values:
        b = other.dense() if isinstance(other, Block) else plain(other)
        if isinstance(other, Block):
            broadcast(self.shape, other.shape)
        a = self.dense()
        return Values.of(np.asarray(how(b, a) if swap else how(a, b)))

    def __add__(self, other: Any) -> Any:
        return self._combine(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        return self._combine(other, operator.add, swap=True)

    def __sub__(self, other: Any) -> Any:
        return self._combine(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._combine(other, operator.sub, swap=True)

    def __mul__(self, other: Any) -> Any:
        return self._combine(other, operator.mul)

    def __rmul__(self, other: Any) -> Any:
        return self._combine(other, operator.mul, swap=True)

    def __floordiv__(self, other: Any) -> Any:
        return self._combine(other, _quotient)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._combine(other, _quotient, swap=True)

    def __truediv__(self, other: Any) -> Any:
        return self._combine(other, operator.truediv)

    def __rtruediv__(self, other: Any) -> Any:
        return self._combine(other, operator.truediv, swap=True)

    def __mod__(self, other: Any) -> Any:
        return self._combine(other, np.fmod)

    def __rmod__(self, other: Any) -> Any:
        return self._combine(other, np.fmod, swap=True)

    def __and__(self, other: Any) -> Any:
        return self._combine(other, operator.and_)

    def __rand__(self, other: Any) -> Any:
        return self._combine(other, operator.and_, swap=True)

    def __or__(self, other: Any) -> Any:
        return self._combine(other, operator.or_)

    def __ror__(self, other: Any) -> Any:
        return self._combine(other, operator.or_, swap=True)

    def __xor__(self, other: Any) -> Any:
        return self._combine(other, operator.xor)

    def __lshift__(self, other: Any) -> Any:
        return self._combine(other, operator.lshift)

    def __rshift__(self, other: Any) -> Any:
        return self._combine(other, operator.rshift)

    def __invert__(self) -> Any:
        return Values.of(~self.dense())

    def __neg__(self) -> Any:
        return Values.of(-self.dense())

    def __lt__(self, other: Any) -> Any:
        return self._combine(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._combine(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._combine(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._combine(other, operator.ge)

    def __eq__(self, other: Any) -> Any:
        return self._combine(other, operator.eq)

    def __ne__(self, other: Any) -> Any:
        return self._combine(other, operator.ne)


def _quotient(a: Any, b: Any) -> Any:
    """The quotient, cut towards zero as on a device; its remainder is numpy's `fmod`."""
    return (a - np.fmod(a, b)) // b


class Values(Block):
    """A block of elements. `data` holds the bits of those in `box`; others are `fill`, undefined where None."""

    __slots__ = ("box", "data", "dtype", "fill", "shape")

    def __init__(self, dtype: DType, shape: Shape, data: Array, box: Box | None = None, fill: Any = None) -> None:
        self.dtype = dtype
        self.shape = shape
        self.data = data
        self.box = box
        self.fill = fill

    @classmethod
    def of(cls, array: Array) -> Values:
        """The block of computed elements."""
        dtype = dtypes.of_numpy(array.dtype)
        return cls(dtype, array.shape, np.ascontiguousarray(array).view(dtype.bits).reshape(array.shape))

    def bits(self) -> Array:
        """All elements as bits, undefined ones as poison."""
        if self.box is None:
            return self.data
        fill = bits_of(self.fill, self.dtype)
        out = np.full(self.shape, fill, self.dtype.bits)
        out[tuple(slice(lo, hi) for lo, hi in self.box)] = self.data
        return out

    def dense(self) -> Array:
        return np.ascontiguousarray(self.bits()).view(self.dtype.real).reshape(self.shape)

    def to(self, dtype: DType, **options: Any) -> Values:
        if options.get("bitcast"):
            return Values(dtype, self.shape, self.bits().view(dtype.bits))
        return self if dtype is self.dtype else Values.of(self.dense().astype(dtype.real))

    def __getitem__(self, key: Any) -> Values:
        expand(self.shape, self.shape, key, None)
        return Values(self.dtype, self.bits()[key].shape, self.bits()[key])


def bits_of(value: Any, dtype: DType) -> int:
    """A scalar as the bits of an element; None, which is undefined, as poison."""
    if value is None:
        return int.from_bytes(bytes([POISON]) * dtype.itemsize, "little")
    number = np.asarray(value)
    if dtype.integer and number.dtype.kind in "iu":
        return int(value) & ((1 << 8 * dtype.itemsize) - 1)
    return int(number.astype(dtype.real).reshape(1).view(dtype.bits)[0])
