"""An exchange and its schedules, with names bound to the things they name.

Nodes are immutable and compare by value without their spans.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from a2agen.ir.bounds import Bounds
from a2agen.ir.expr import Const, Expr, Sym
from a2agen.source import Span
from a2agen.targets.profile import Profile

TO, FROM = "to", "from"

# Bytes of an element by the language's name for its type.
DTYPES: dict[str, int] = {
    "f32": 4,
    "f16": 2,
    "bf16": 2,
    "i8": 1,
    "i16": 2,
    "i32": 4,
    "i64": 8,
    "f8e4m3": 1,
    "f8e5m2": 1,
}

Who = Literal["all", "others", "self"]
Side = Literal["sender", "receiver", "own"]
CoreClass = Literal["even", "odd", "all", "host"]


@dataclass(frozen=True, slots=True)
class Layout:
    """A row-major layout: groups of merged axes, outer first. Axis names are extents, `to` or `from`."""

    factors: tuple[tuple[str, ...], ...]

    # Of `factors`, and asked for at every turn: in order, and which of `to` and `from` is among them.
    axes: tuple[str, ...] = field(init=False, compare=False, repr=False)
    side: Side = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", tuple(axis for group in self.factors for axis in group))
        side = "sender" if TO in self.axes else "receiver" if FROM in self.axes else "own"
        object.__setattr__(self, "side", side)

    def __str__(self) -> str:
        groups = (g[0] if len(g) == 1 else f"({' '.join(g)})" for g in self.factors)
        return f"[{' '.join(groups)}]"


@dataclass(frozen=True, slots=True)
class Slots:
    """A buffer that holds `count` blocks of the schedule's block axis, used in turn."""

    count: int
    span: Span = field(compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Storage:
    """A tensor or a staging buffer.

    `slots` is set for a buffer that is per block; `overlay` names the buffer whose own-rank slab it lies in.
    """

    name: str
    kind: Literal["in", "out", "buffer"]
    dtype: str
    layout: Layout
    span: Span = field(compare=False, kw_only=True)
    layout_span: Span = field(compare=False, kw_only=True)
    symmetric: bool = False
    strided: bool = False
    slots: Slots | None = None
    flagged: bool = False
    overlay: str | None = None
    align: int | None = None

    @property
    def side(self) -> Side:
        """Whose slabs it holds: the sender's (one per `to`), the receiver's (one per `from`), or the own rank's
        only."""
        return self.layout.side

    @property
    def peer_axis(self) -> str | None:
        return {"sender": TO, "receiver": FROM, "own": None}[self.side]

    @property
    def element_bytes(self) -> int:
        return DTYPES[self.dtype]


@dataclass(frozen=True, slots=True)
class Case:
    """Named values for the ranks and every dim."""

    name: str
    values: dict[str, int]
    span: Span = field(compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Exchange:
    """What is exchanged: one tensor in, one tensor out, the same axes but for `to` and `from`."""

    name: str
    ranks: str
    bounds: Bounds
    source: Storage
    result: Storage
    cases: tuple[Case, ...]
    span: Span = field(compare=False, kw_only=True)

    @property
    def dims(self) -> tuple[str, ...]:
        """The extents other than the ranks, in the order of the spec."""
        return tuple(e.name for e in self.bounds.extents if e.name != self.ranks)

    def extent(self, axis: str) -> Expr:
        """The extent of an axis: of `to` and `from` the number of ranks."""
        return Sym(self.ranks if axis in (TO, FROM) else axis)


@dataclass(frozen=True, slots=True)
class Role:
    """Cores of one class: all of it, one for each peer and queue, or what another role leaves."""

    name: str
    cores: CoreClass
    per_peer: bool = False
    rest_of: str | None = None
    span: Span = field(compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Move:
    source: Storage
    target: Storage
    who: Who
    span: Span = field(compare=False, kw_only=True)

    def pairs(self) -> tuple[Literal["others", "self"], ...]:
        return ("others", "self") if self.who == "all" else (self.who,)

    @property
    def crosses(self) -> bool:
        """Whether it goes from the sender's side to the receiver's: a store or a put at every peer it is for."""
        return self.source.side != "receiver" and self.target.side == "receiver" and self.source.side == "sender"


@dataclass(frozen=True, slots=True)
class Link:
    """How data travels. The options are those of links that make puts."""

    name: str
    queues: int = 1
    split: bool = False
    batch: int | None = None
    complete: Literal["each", "end"] | None = None
    relay: bool = False
    span: Span = field(compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Ready:
    kind: Literal["none", "barrier", "notify", "signal", "flag"]
    unit: Literal["tile", "block", "peer"] | None = None
    span: Span = field(compare=False, kw_only=True)

    def __str__(self) -> str:
        return f"{self.kind} per {self.unit}" if self.unit else self.kind


@dataclass(frozen=True, slots=True)
class Free:
    kind: Literal["none", "credit", "barrier"]
    unit: Literal["tile", "peer"] | None = None
    span: Span = field(compare=False, kw_only=True)

    def __str__(self) -> str:
        return f"{self.kind} per {self.unit}" if self.unit else self.kind


@dataclass(frozen=True, slots=True)
class Tile:
    """What one task copies: elements along each named axis, 1 along the others."""

    sizes: tuple[tuple[str, int], ...]
    span: Span = field(compare=False, kw_only=True)
    _by_axis: Mapping[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_axis", dict(self.sizes))

    def size(self, axis: str) -> int:
        return self._by_axis.get(axis, 1)

    def __str__(self) -> str:
        return ", ".join(f"{axis} {size}" for axis, size in self.sizes)


@dataclass(frozen=True, slots=True)
class Phase:
    """A piece of the exchange: task loops of one role over one link."""

    name: str
    role: Role
    moves: tuple[Move, ...]
    link: Link
    tile: Tile | None
    ready: Ready
    free: Free
    staggered: bool = False
    span: Span = field(compare=False, kw_only=True)
    poisoned: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """The outer loop that all phases share: `size` of `axis` at a time."""

    axis: str
    size: int
    span: Span = field(compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Schedule:
    """How an exchange runs. `poisoned` where a fault found earlier leaves something of it unknown.

    `auto`: the name of the spec's schedule, where that says `link auto` and this is one of the ways that its launcher
    chooses from.
    """

    name: str
    exchange: Exchange
    target: Profile
    emit: str
    cores: int | None
    storages: tuple[Storage, ...]
    block: Block | None
    roles: tuple[Role, ...]
    phases: tuple[Phase, ...]
    rounds: Literal["reset", "epoch"]
    span: Span = field(compare=False, kw_only=True)
    target_span: Span = field(compare=False, kw_only=True)
    emit_span: Span = field(compare=False, kw_only=True)
    cores_span: Span | None = field(default=None, compare=False)
    rounds_span: Span = field(compare=False, kw_only=True)
    poisoned: bool = field(default=False, compare=False)
    auto: str | None = None
    # Who writes a storage and who reads it is asked for every move: not to go through all moves each time.
    _into: Mapping[str, tuple[tuple[Phase, Move], ...]] = field(init=False, compare=False, repr=False)
    _out_of: Mapping[str, tuple[tuple[Phase, Move], ...]] = field(init=False, compare=False, repr=False)
    _storages: Mapping[str, Storage] = field(init=False, compare=False, repr=False)
    _overlays: Mapping[str, tuple[Storage, ...]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        into: dict[str, list[tuple[Phase, Move]]] = {}
        out_of: dict[str, list[tuple[Phase, Move]]] = {}
        for phase in self.phases:
            for move in phase.moves:
                into.setdefault(move.target.name, []).append((phase, move))
                out_of.setdefault(move.source.name, []).append((phase, move))
        object.__setattr__(self, "_into", {name: tuple(found) for name, found in into.items()})
        object.__setattr__(self, "_out_of", {name: tuple(found) for name, found in out_of.items()})
        object.__setattr__(self, "_storages", {s.name: s for s in reversed(self.storages)})
        overlays: dict[str, list[Storage]] = {}
        for storage in self.storages:
            if storage.overlay is not None:
                overlays.setdefault(storage.overlay, []).append(storage)
        object.__setattr__(self, "_overlays", {name: tuple(found) for name, found in overlays.items()})

    def moves_into(self, storage: str) -> tuple[tuple[Phase, Move], ...]:
        """The moves that write a storage, with their phases, in order."""
        return self._into.get(storage, ())

    def moves_out_of(self, storage: str) -> tuple[tuple[Phase, Move], ...]:
        """The moves that read a storage, with their phases, in order."""
        return self._out_of.get(storage, ())

    @property
    def declared(self) -> str:
        """The name of the spec's schedule, which its folder has too."""
        return self.auto or self.name

    @property
    def cases(self) -> tuple[Case, ...]:
        return self.exchange.cases

    @property
    def source(self) -> Storage:
        return next(s for s in self.storages if s.kind == "in")

    @property
    def result(self) -> Storage:
        return next(s for s in self.storages if s.kind == "out")

    @property
    def buffers(self) -> tuple[Storage, ...]:
        return tuple(s for s in self.storages if s.kind == "buffer")

    def storage(self, name: str) -> Storage:
        """The storage of a name. Raises KeyError where there is none."""
        return self._storages[name]

    def host_of(self, buffer: Storage) -> Storage | None:
        """The buffer in whose slab an overlay lies; None where it is no overlay, or its host is not known."""
        return self._storages.get(buffer.overlay) if buffer.overlay is not None else None

    def overlays_of(self, host: str) -> tuple[Storage, ...]:
        """The buffers that lie in the slab of a buffer."""
        return self._overlays.get(host, ())

    def names(self, name: str) -> bool:
        """Whether one of the extents, the tensors or the buffers has a name."""
        return name in self._storages or any(e.name == name for e in self.exchange.bounds.extents)

    def block_size(self, axis: str) -> int | None:
        """The block size along an axis, None where the axis is not blocked."""
        return self.block.size if self.block is not None and self.block.axis == axis else None

    def extent_in(self, storage: Storage, axis: str) -> Expr:
        """How far an axis reaches in a storage: a per-block buffer holds one block of the block axis in each slot."""
        if storage.slots is not None and (size := self.block_size(axis)) is not None:
            return Const(size)
        return self.exchange.extent(axis)
