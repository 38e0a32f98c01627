"""Offsets as affine functions and masks as boxes, for as long as a kernel's arithmetic leaves them so."""

from __future__ import annotations

import operator
from typing import Any, TypeVar

import numpy as np

from a2agen.engines.cpu import dtypes
from a2agen.engines.cpu.blocks import COLUMN, ROW, Array, Block, Box, Shape, broadcast, expand
from a2agen.engines.cpu.dtypes import DType
from a2agen.engines.cpu.errors import UnsupportedError
from a2agen.engines.cpu.scalars import Behind, plain


class Mask(Block):
    """A mask that is a box: along each axis the indices in [low, high)."""

    __slots__ = ("box", "shape")

    def __init__(self, shape: Shape, box: Box) -> None:
        self.shape = shape
        self.box = box

    def dense(self) -> Array:
        out = np.zeros(self.shape, np.bool_)
        out[tuple(slice(lo, hi) for lo, hi in self.box)] = True
        return out

    def __getitem__(self, key: Any) -> Mask:
        box = self.box
        if len(box) == 1:
            if key == COLUMN:
                return Mask((self.shape[0], 1), (box[0], (0, 1)))
            if key == ROW:
                return Mask((1, self.shape[0]), ((0, 1), box[0]))
        return Mask(*expand(self.shape, self.box, key, (0, 1)))

    def stretched(self, shape: Shape) -> Box:
        """The box once axes of extent 1 are stretched to `shape`."""
        if self.shape == shape:
            return self.box
        key = (self.shape, self.box, shape)
        found = _stretched.get(key)
        if found is None:
            found = keep(_stretched, key, self._stretch(shape))
        return found

    def _stretch(self, shape: Shape) -> Box:
        if len(shape) != len(self.shape):
            raise UnsupportedError(f"a mask of shape {self.shape} for a block of shape {shape}")
        out = []
        for axis, n, m in zip(self.box, shape, self.shape, strict=True):
            if m not in (n, 1):
                raise UnsupportedError(f"a mask of shape {self.shape} for a block of shape {shape}")
            out.append(axis if m == n else (0, n) if axis == (0, 1) else (0, 0))
        return tuple(out)

    def __and__(self, other: Any) -> Any:
        if type(other) is Mask:
            key = (self.shape, self.box, other.shape, other.box)
            found = _overlaps.get(key)
            if found is None:
                shape = broadcast(self.shape, other.shape)
                both = zip(self._stretch(shape), other._stretch(shape), strict=True)
                box = tuple((max(a, b), min(c, d)) for (a, c), (b, d) in both)
                found = keep(_overlaps, key, Mask(shape, box))
            return found
        if isinstance(other, bool):
            return self if other else Mask(self.shape, tuple((0, 0) for _ in self.shape))
        return self._combine(other, operator.and_)

    __rand__ = __and__


class Affine(Block):
    """`start + sum(index[k] * strides[k])` over a shape: what `arange` and arithmetic with scalars give."""

    __slots__ = ("shape", "start", "strides")

    def __init__(self, start: int, shape: Shape, strides: Shape) -> None:
        self.start = start
        self.shape = shape
        self.strides = strides

    @property
    def dtype(self) -> DType:
        return dtypes.I32

    def dense(self) -> Array:
        out = np.full(self.shape, plain(self.start), np.int64)
        for axis, (n, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            out += (np.arange(n, dtype=np.int64) * stride).reshape([-1 if k == axis else 1 for k in range(out.ndim)])
        return out

    def to(self, dtype: DType, **_: Any) -> Block:
        return self if dtype in (dtypes.I32, dtypes.I64) else super().to(dtype)

    def __getitem__(self, key: Any) -> Affine:
        strides = self.strides
        if len(strides) == 1:
            if key == COLUMN:
                return Affine(self.start, (self.shape[0], 1), (strides[0], 0))
            if key == ROW:
                return Affine(self.start, (1, self.shape[0]), (0, strides[0]))
        return Affine(self.start, *expand(self.shape, self.strides, key, 0))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, int):
            return Affine(self.start + other, self.shape, self.strides)
        if type(other) is Affine:
            shape, strides = add_strides(self, other)
            return Affine(self.start + other.start, shape, strides)
        return NotImplemented if not isinstance(other, Block) else self._combine(other, operator.add)

    def __radd__(self, other: Any) -> Any:
        if type(other) is int or isinstance(other, int):
            return Affine(self.start + other, self.shape, self.strides)
        return self._combine(other, operator.add, swap=True)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, int):
            return Affine(self.start - other, self.shape, self.strides)
        return self + -other if type(other) is Affine else self._combine(other, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Affine:
        return Affine(-self.start, self.shape, tuple([-s for s in self.strides]))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            strides = self.strides
            if type(other) is Behind:
                return Affine(self.start * other, self.shape, tuple([s * other.plain for s in strides]))
            if len(strides) == 2:
                # Nearly all are.
                scaled: Shape = (strides[0] * other, strides[1] * other)
            else:
                scaled = tuple([s * other for s in strides])
            return Affine(self.start * other, self.shape, scaled)
        return self._combine(other, operator.mul)

    __rmul__ = __mul__

    def _below(self, bound: Any, at_or_above: bool) -> Mask | None:
        """The mask of elements below `bound`, or not below it, where that is a box."""
        if not isinstance(bound, int):
            return None
        if self.strides == (1,) and not at_or_above:
            n = self.shape[0]
            edge = plain(bound - self.start)
            return Mask(self.shape, ((0, n if edge > n else max(edge, 0)),))
        moving = [k for k, s in enumerate(self.strides) if s and self.shape[k] > 1]
        box = [(0, n) for n in self.shape]
        if not moving:
            holds = (self.start < bound) != at_or_above
            return Mask(self.shape, tuple(box) if holds else tuple((0, 0) for _ in box))
        if len(moving) > 1:
            return None
        axis = moving[0]
        stride, n = self.strides[axis], self.shape[axis]
        if type(bound) is Behind or type(self.start) is Behind:
            return Affine(plain(self.start), self.shape, self.strides)._below(plain(bound), at_or_above)
        if stride > 0:
            edge = min(max(-((self.start - bound) // stride), 0), n)
            box[axis] = (edge, n) if at_or_above else (0, edge)
        else:
            edge = min(max((self.start - bound) // -stride + 1, 0), n)
            box[axis] = (0, edge) if at_or_above else (edge, n)
        return Mask(self.shape, tuple(box))

    def __lt__(self, other: Any) -> Any:
        mask = self._below(other, at_or_above=False)
        return self._combine(other, operator.lt) if mask is None else mask

    def __ge__(self, other: Any) -> Any:
        mask = self._below(other, at_or_above=True)
        return self._combine(other, operator.ge) if mask is None else mask

    def __le__(self, other: Any) -> Any:
        return self < other + 1 if isinstance(other, int) else self._combine(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self >= other + 1 if isinstance(other, int) else self._combine(other, operator.gt)


_Key = TypeVar("_Key")
_Result = TypeVar("_Result")

# What the few shapes of a kernel give, again and again.
_sums: dict[tuple[Shape, Shape, Shape, Shape], tuple[Shape, Shape]] = {}
_overlaps: dict[tuple[Shape, Box, Shape, Box], Mask] = {}
_stretched: dict[tuple[Shape, Box, Shape], Box] = {}
_KEPT = 4096


def keep(results: dict[_Key, _Result], key: _Key, result: _Result) -> _Result:
    """Remember a result, within bounds."""
    if len(results) >= _KEPT:
        results.clear()
    results[key] = result
    return result


def add_strides(a: Any, b: Any) -> tuple[Shape, Shape]:
    """Shape and strides of the sum of two affine things."""
    key = (a.shape, a.strides, b.shape, b.strides)
    found = _sums.get(key)
    if found is None:
        found = keep(_sums, key, _add_strides(a, b))
    return found


def _add_strides(a: Any, b: Any) -> tuple[Shape, Shape]:
    sa, sb = a.shape, b.shape
    if not sa:
        return sb, b.strides
    if sa == sb:
        return sa, tuple([x + y for x, y in zip(a.strides, b.strides, strict=True)])
    shape = broadcast(sa, sb)
    # A stretched axis does not move; whatever stride its single element had does not count.
    return shape, tuple(
        [(x if m > 1 else 0) + (y if n > 1 else 0) for x, y, m, n in zip(a.strides, b.strides, sa, sb, strict=True)]
    )
