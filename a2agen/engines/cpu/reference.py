"""Data to exchange, and what must come out: layouts as reshapes and transposes, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from a2agen.engines.cpu.blocks import Array
from a2agen.engines.cpu.dtypes import BY_SPEC_NAME
from a2agen.engines.cpu.program import Exchange, Tensor


class Reference:
    """Inputs and expected outputs, as bits, for given extents.

    A slab is what one rank sends to another. Its bits are a hash of the place in it, plus a number for (launch, source,
    destination) that no other slab of near launches has: data of another place, rank or launch does not pass.
    """

    def __init__(self, exchange: Exchange, values: dict[str, int], seed: int = 0) -> None:
        self._exchange = exchange
        self._ranks = values[exchange.ranks]
        self.extents = {**values, "to": self._ranks, "from": self._ranks}
        self._bits = BY_SPEC_NAME[exchange.source.dtype].bits
        self._seed = seed
        self._axes = [axis for axis in exchange.source.axes if axis != "to"]
        shape = tuple(self.extents[axis] for axis in self._axes)
        self._slab = _hash(int(np.prod(shape)), self._bits).reshape(shape)

    def source(self, launch: int, rank: int) -> Array:
        """The input of a rank, in the shape of the launcher's argument."""
        return self._tensor(self._exchange.source, "to", [self._key(launch, rank, to) for to in range(self._ranks)])

    def result(self, launch: int, rank: int) -> Array:
        """The output that a rank must get."""
        keys = [self._key(launch, source, rank) for source in range(self._ranks)]
        return self._tensor(self._exchange.result, "from", keys)

    def _tensor(self, tensor: Tensor, peer: str, keys: list[int]) -> Array:
        """The slabs of all peers in a tensor's layout."""
        rest = [axis for axis in tensor.axes if axis != peer]
        slab = self._slab.transpose([self._axes.index(axis) for axis in rest])
        place = tensor.axes.index(peer)
        numbers = np.array(keys, np.uint64).astype(self._bits)
        numbers = numbers.reshape([-1 if k == place else 1 for k in range(len(tensor.axes))])
        out: Array = np.expand_dims(slab, place) + numbers
        return out.reshape(tensor.shape(self.extents))

    def _key(self, launch: int, source: int, target: int) -> int:
        number = self._seed + (launch * self._ranks + source) * self._ranks + target
        # Odd factor: different numbers stay different in as many bits as they have.
        return (number * 0x9E3779B97F4A7C15 + 1) & 0xFFFFFFFFFFFFFFFF


def _hash(count: int, bits: Any) -> Array:
    """Well-mixed bits of 0..count: neighbours and shifted runs look unlike."""
    x = np.arange(count, dtype=np.uint64)
    x *= np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(32)
    x *= np.uint64(0xD6E8FEB86659FD93)
    x ^= x >> np.uint64(32)
    return x.astype(bits)
