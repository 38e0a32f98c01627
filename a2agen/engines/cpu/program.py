"""What is simulated: the texts of a kernel and its launcher, and what they are to exchange. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Protocol

from a2agen.engines.cpu.model import Vendor

Factors = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor of the exchange: its name, the language's name of its type, and its layout as merged axes, outer first.

    `strided`: its strides are known only at run time, so it is handed over with gaps.
    """

    name: str
    dtype: str
    factors: Factors
    strided: bool = False

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(axis for group in self.factors for axis in group)

    def shape(self, extents: dict[str, int]) -> tuple[int, ...]:
        """The extents of the merged axes."""
        return tuple(prod(extents[axis] for axis in group) for group in self.factors)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One tensor in, with a `to` axis, one out, with a `from` axis; the other axes are the same.

    `ranks` names the number of ranks, `dims` the other extents, as the launcher's keywords do.
    """

    ranks: str
    dims: tuple[str, ...]
    source: Tensor
    result: Tensor
    vendor: Vendor = "ascend"


class Extent(Protocol):
    """An extent over the exchange's extents and `cores`."""

    def evaluate(self, values: Mapping[str, int], /) -> int: ...


@dataclass(frozen=True, slots=True)
class Axes:
    """How a kernel's argument lies in memory, for messages: the axes' names and extents, outer first, and how many
    elements the innermost steps by."""

    argument: str
    extents: tuple[tuple[str, Extent], ...]
    step: int = 1


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel and the launcher that imports it as `.kernel`, as texts; the paths and axes are for messages.

    `link`: that of the operator to take, where the launcher chooses between several. `several_nodes`: other ranks may
    be on other nodes, where only puts and words that leave the node go. `emitted`: the kernel that the launcher was
    emitted with, where `kernel` is another.
    """

    kernel: str
    kernel_path: str
    launcher: str
    launcher_path: str
    exchange: Exchange
    axes: tuple[Axes, ...] = ()
    link: str | None = None
    several_nodes: bool = False
    emitted: str | None = None
