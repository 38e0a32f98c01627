"""Memories of a plan: tensors and buffers as they lie, with their slabs and flag blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from a2agen.ir.expr import Expr, mul


@dataclass(frozen=True, slots=True)
class Slab:
    """Aligned slabs of a buffer: one for each index of `axis` and of the axes outside it, `elements` apart. Kernels
    have that number under `name`."""

    axis: str
    name: str
    elements: Expr


@dataclass(frozen=True, slots=True)
class FlagBlocks:
    """Rows along the innermost axis, cut into blocks of `block` elements: `payload` of data, and the flag behind them.

    A row takes `row` elements, whole blocks, of which kernels have the number under `name`. Flags are zero before the
    first launch.
    """

    payload: int
    block: int
    name: str
    row: Expr


@dataclass(frozen=True, slots=True)
class Memory:
    """A tensor or buffer as it lies in memory: axes outer first, each with its extent.

    A buffer's own leading axes are `half` (of two, by the parity of the epoch) and `slot`. Without a `slab` elements
    lie side by side; with one there may be a gap behind each slab. With `flags` rows lie in blocks.
    """

    name: str
    kind: Literal["in", "out", "buffer"]
    dtype: str
    axes: tuple[tuple[str, Expr], ...]
    symmetric: bool
    strided: bool
    about: str
    slab: Slab | None = None
    flags: FlagBlocks | None = None

    def extent(self, axis: str) -> Expr:
        return dict(self.axes)[axis]

    @property
    def shape(self) -> tuple[Expr, ...]:
        """Its extents, those within an aligned slab as one: as many elements as a slab takes."""
        extents = [extent for _, extent in self.axes]
        if self.flags is not None:
            extents[-1] = self.flags.row
        return (*extents[: self.outer], self.slab.elements) if self.slab else tuple(extents)

    @property
    def outer(self) -> int:
        """How many of its axes count slabs; 0 where slabs are not aligned."""
        return 1 + [axis for axis, _ in self.axes].index(self.slab.axis) if self.slab else 0

    @property
    def elements(self) -> Expr:
        return mul(*self.shape)
