"""Inputs and what must come out, made on the device by torch: reshapes and transposes, and nothing else.

An element's bits are a hash of its place in its slab, plus a number of (launch, source, destination): data of another
place, rank or recent launch does not pass. Compared are bits, never values.
"""

from __future__ import annotations

from math import prod
from typing import Any

import torch

from a2agen.engines.cuda.job import Exchange, Layout

DTYPES = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "f8e4m3": torch.float8_e4m3fn,
    "f8e5m2": torch.float8_e5m2,
}
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def bits(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor as integers of its width."""
    return tensor.view(_BITS[tensor.element_size()])


class Reference:
    """Inputs and expected outputs of an exchange at given extents, on a device."""

    def __init__(self, exchange: Exchange, values: dict[str, int], device: Any, seed: int = 0) -> None:
        self._exchange = exchange
        self._ranks = values[exchange.ranks]
        self._extents = {**values, "to": self._ranks, "from": self._ranks}
        self._axes = [axis for axis in exchange.source.axes if axis != "to"]
        self._dtype = DTYPES[exchange.source.dtype]
        self._seed = seed
        shape = [self._extents[axis] for axis in self._axes]
        self._slab = _hash(prod(shape), _BITS[self._dtype.itemsize], device).reshape(shape)

    def source(self, launch: int, rank: int) -> torch.Tensor:
        """The input of a rank."""
        return self._tensor(self._exchange.source, "to", [self._key(launch, rank, to) for to in range(self._ranks)])

    def result(self, launch: int, rank: int) -> torch.Tensor:
        """The output that a rank must get."""
        keys = [self._key(launch, source, rank) for source in range(self._ranks)]
        return self._tensor(self._exchange.result, "from", keys)

    def _tensor(self, layout: Layout, peer: str, keys: list[int]) -> torch.Tensor:
        rest = [axis for axis in layout.axes if axis != peer]
        slab = self._slab.permute([self._axes.index(axis) for axis in rest])
        place = layout.axes.index(peer)
        shape = [self._extents[axis] for axis in layout.axes]
        out = torch.empty(shape, dtype=slab.dtype, device=slab.device)
        for number, key in enumerate(keys):
            torch.add(slab, key, out=out.select(place, number))
        return out.reshape(layout.shape(self._extents)).view(self._dtype)

    def _key(self, launch: int, source: int, target: int) -> int:
        number = self._seed + (launch * self._ranks + source) * self._ranks + target
        # An odd factor keeps different numbers different in as many bits as an element has.
        width: int = 8 * self._dtype.itemsize
        key = (number * 0x9E3779B97F4A7C15 + 1) & ((1 << width) - 1)
        return key - (1 << width) if key >> (width - 1) else key


def _hash(count: int, dtype: torch.dtype, device: Any) -> torch.Tensor:
    """Well-mixed bits of 0..count, a part at a time so that it takes little memory."""
    out = torch.empty(count, dtype=dtype, device=device)
    step = 1 << 24
    for first in range(0, count, step):
        x = torch.arange(first, min(count, first + step), dtype=torch.int64, device=device)
        x *= -7046029254386353131
        x ^= x >> 32
        x *= -2960836687655451285
        x ^= x >> 29
        out[first : first + step] = x.to(dtype)
    return out
