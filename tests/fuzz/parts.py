"""The parts of a spec as data, and their text: one clause on a line, so that `reword` can change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Who = Literal["all", "others", "self"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One tensor in, one out. Layouts are groups of axes, outer first; a group of several is one merged dimension."""

    ranks: tuple[int, int]
    dims: dict[str, tuple[int, int]]
    most: int
    dtype: str
    source: tuple[tuple[str, ...], ...]
    result: tuple[tuple[str, ...], ...]
    case: dict[str, int]
    strided: bool = False
    bounds: tuple[str, ...] = ()

    @property
    def axes(self) -> list[str]:
        return list(self.dims)

    @property
    def order(self) -> list[str]:
        """The axes of the input, without `to`."""
        return [axis for group in self.source for axis in group if axis != "to"]

    @property
    def slabs_outermost(self) -> bool:
        return self.source[0][0] == "to"

    def text(self) -> str:
        bounds = [f"dim {name} in {low}..{high}" for name, (low, high) in self.dims.items()]
        values = ", ".join(f"{name} = {value}" for name, value in self.case.items())
        lines = [
            f"ranks W in {self.ranks[0]}..{self.ranks[1]}",
            *bounds,
            f"where {' * '.join(self.dims)} <= {self.most}",
            *(f"where {bound}" for bound in self.bounds),
            f"in A : {self.dtype} {_layout(self.source)}{' strided' if self.strided else ''}",
            f"out C : {self.dtype} {_layout(self.result)}",
            f"case small {{ {values} }}",
        ]
        return _braces("exchange e", lines)


@dataclass(frozen=True, slots=True)
class Buffer:
    """Staging memory; per block where `slots` is a number."""

    name: str
    axes: tuple[str, ...]
    symmetric: bool = False
    slots: int | None = None
    overlay: str | None = None
    flagged: bool = False
    align: int | None = None

    def text(self) -> str:
        words = [f"buffer {self.name} : [{' '.join(self.axes)}]"]
        words += ["symmetric" if self.symmetric else "local"] if self.overlay is None else []
        words += [f"per block slots {self.slots}"] if self.slots is not None else []
        words += ["flagged"] if self.flagged else []
        words += [f"overlay {self.overlay}[self]"] if self.overlay is not None else []
        words += [f"align {self.align}"] if self.align is not None else []
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class Role:
    """`share` is empty, `one per peer`, or `rest of` another role."""

    name: str
    cores: str
    share: str = ""

    def text(self) -> str:
        return f"role {self.name} : {self.cores}{', ' if self.share else ''}{self.share}"


@dataclass(frozen=True, slots=True)
class Move:
    source: str
    target: str
    who: Who = "all"

    def text(self) -> str:
        return f"move {self.source} -> {self.target}{'' if self.who == 'all' else f' for {self.who}'}"


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase; an empty `ready` or `free` is not written."""

    name: str
    role: str
    moves: tuple[Move, ...]
    link: str
    tile: dict[str, int] | None = None
    ready: str = ""
    free: str = ""
    staggered: bool = False

    def text(self) -> str:
        lines = [move.text() for move in self.moves]
        lines.append(f"link {self.link}")
        if self.tile is not None:
            lines.append("tile " + ", ".join(f"{axis} {size}" for axis, size in self.tile.items()))
        lines += ["order staggered"] if self.staggered else []
        lines += [f"ready {self.ready}"] if self.ready else []
        lines += [f"free {self.free}"] if self.free else []
        return _braces(f"phase {self.name} on {self.role}", lines).rstrip("\n")


@dataclass(frozen=True, slots=True)
class Schedule:
    target: str
    roles: tuple[Role, ...]
    phases: tuple[Phase, ...]
    rounds: str
    name: str = "s0"
    emit: str = "triton_dist"
    cores: int | None = None
    block: tuple[str, int] | None = None
    buffers: tuple[Buffer, ...] = ()
    placed: tuple[str, ...] = ()

    def text(self) -> str:
        lines = [f"target {self.target}", f"emit {self.emit}"]
        lines += [f"cores {self.cores}"] if self.cores is not None else []
        lines += [f"block {self.block[0]} by {self.block[1]}"] if self.block is not None else []
        lines += [buffer.text() for buffer in self.buffers]
        lines += [f"place {name} symmetric" for name in self.placed]
        lines += [role.text() for role in self.roles]
        lines += [phase.text() for phase in self.phases]
        return _braces(f"schedule {self.name} for e", [*lines, f"rounds {self.rounds}"])


@dataclass(frozen=True, slots=True)
class Spec:
    exchange: Exchange
    schedules: tuple[Schedule, ...]

    def text(self) -> str:
        return "\n".join([self.exchange.text(), *(schedule.text() for schedule in self.schedules)])


def _layout(groups: tuple[tuple[str, ...], ...]) -> str:
    dimensions = (group[0] if len(group) == 1 else f"({' '.join(group)})" for group in groups)
    return f"[{' '.join(dimensions)}]"


def _braces(head: str, lines: list[str]) -> str:
    body = "\n".join("  " + line.replace("\n", "\n  ") for line in lines)
    return f"{head} {{\n{body}\n}}\n"
