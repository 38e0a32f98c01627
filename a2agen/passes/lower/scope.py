"""The names that a plan binds, none of which hides another or a word of the target languages."""

from __future__ import annotations

import builtins
import keyword
from dataclasses import dataclass, field

from a2agen.ir.expr import Const, Expr, Sym, ceil_div, mul
from a2agen.ir.model import TO, Move, Phase, Role, Schedule, Storage
from a2agen.ir.plan import FlagBlocks, Let, Offsets, Slab
from a2agen.passes import analysis, words
from a2agen.passes.resolve.names import CPP

_WORDS = """
    tl dl triton triton_dist libshmem_device torch runtime
    pid cores lane lanes rank task tile mask word epoch epochs half
    mover staging submission
"""
_RESERVED = frozenset((*_WORDS.split(), *CPP))


@dataclass(slots=True)
class Scope:
    """Names of one plan, and the constants and launch-wide values that its operations turned out to need.

    `tuned`: the constants that the launcher chooses, with the axis that each is of, None for what lies together.
    """

    schedule: Schedule
    constants: dict[str, int] = field(default_factory=dict)
    counts: dict[str, Let] = field(default_factory=dict)
    offsets: dict[str, Offsets] = field(default_factory=dict)
    tuned: dict[str, str | None] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)
    _names: dict[tuple[str, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._taken |= _RESERVED | set(keyword.kwlist) | set(dir(builtins))
        self._taken |= {e.name for e in self.schedule.exchange.bounds.extents}
        self._taken |= {s.name for s in self.schedule.storages}
        self._taken |= {w.name for w in words.all_words(self.schedule)}

    def name(self, kind: str, *of: str) -> str:
        """The plan's name for a thing, such as ("index", "H"); the same each time it is asked for."""
        key = (kind, *of)
        if key not in self._names:
            base = _BASES[kind].format(*(text if kind in ("slab", "row") else text.lower() for text in of))
            base = base.upper() if kind.endswith("size") else base
            while base in self._taken:
                base += "_"
            self._taken.add(base)
            self._names[key] = base
        return self._names[key]

    def sym(self, kind: str, *of: str) -> Sym:
        return Sym(self.name(kind, *of))

    def constant(self, value: int, kind: str, *of: str) -> Expr:
        """A compile-time constant by its name."""
        name = self.name(kind, *of)
        self.constants[name] = value
        return Sym(name)

    def ordered_constants(self) -> tuple[tuple[str, int], ...]:
        """Blocks before tiles, by the order of the axes."""
        axes = self.schedule.source.layout.axes

        def order(name: str) -> tuple[bool, int, str]:
            of = next(key for key, value in self._names.items() if value == name)
            return (of[0] != "block size", axes.index(of[-1]) if of[-1] in axes else len(axes), name)

        return tuple((name, self.constants[name]) for name in sorted(self.constants, key=order))

    def block_size(self) -> Expr:
        assert self.schedule.block is not None
        return self.constant(self.schedule.block.size, "block size", self.schedule.block.axis)

    def batch(self, phase: Phase) -> Expr:
        """How many requests of a phase go behind one doorbell."""
        assert phase.link.batch is not None
        return self.constant(phase.link.batch, "batch size", phase.name)

    def blocks(self) -> Expr:
        """How many blocks there are, as a launch-wide value."""
        assert self.schedule.block is not None
        axis = self.schedule.block.axis
        name = self.name("blocks", axis)
        self.counts[name] = Let(name, ceil_div(Sym(axis), self.block_size()))
        return Sym(name)

    def tile_size(self, phase: Phase, axis: str) -> Expr:
        """A phase's tile along an axis: named after the axis alone where all phases agree on it."""
        size = phase.tile.size(axis) if phase.tile else 1
        if size == 1:
            return Const(1)
        sizes = {p.tile.size(axis) for p in self.schedule.phases if p.tile is not None} - {1}
        of = (axis,) if len(sizes) == 1 else (phase.name, axis)
        return self.constant(size, "tile size" if len(of) == 1 else "phase tile size", *of)

    def tile_offsets(self, phase: Phase, axis: str) -> str | None:
        """The range of a tile's elements along an axis, None for a single one."""
        size = self.tile_size(phase, axis)
        if not isinstance(size, Sym):
            return None
        name = self.name("offsets", _of_tile(size))
        self.offsets[name] = Offsets(name, size)
        return name

    def tiles(self, phase: Phase, axis: str) -> Expr:
        """How many tiles a phase has along an axis, per block along the block axis."""
        count = analysis.tile_count(self.schedule, phase, axis)
        size = self.tile_size(phase, axis)
        if isinstance(count, Const):
            return count if count == Const(1) else self.block_size() // size
        if size == Const(1):
            return count
        assert isinstance(size, Sym)
        name = self.name("tiles", _of_tile(size))
        self.counts[name] = Let(name, ceil_div(Sym(axis), size))
        return Sym(name)

    def role_lanes(self, role: Role) -> Expr:
        """How many cores share a role, as a launch-wide value."""
        lanes = analysis.role_lanes(self.schedule, role)
        if isinstance(lanes, Sym):
            return lanes
        name = self.name("lanes", role.name)
        self.counts[name] = Let(name, lanes)
        return Sym(name)

    def slab(self, storage: Storage, axes: tuple[tuple[str, Expr], ...]) -> Slab | None:
        """The aligned slabs of a storage with these axes, their size as a launch-wide value; None where they need no
        padding."""
        unit = analysis.slab_unit(self.schedule, storage)
        if unit == 1:
            return None
        assert storage.peer_axis is not None
        within = [extent for _, extent in axes[len(axes) - len(storage.layout.axes) + 1 :]]
        within[-1] = analysis.row_elements(self.schedule, storage, within[-1])
        elements = ceil_div(mul(*within), unit) * unit
        name = self.name("slab", storage.name)
        if any(storage.name in _homes(move) for _, move in analysis.moves(self.schedule)):
            about = f"elements from one slab of {storage.name} to the next"
            self.counts[name] = Let(name, elements, about)
        return Slab(storage.peer_axis, name, elements)

    def flags(self, storage: Storage, axes: tuple[tuple[str, Expr], ...]) -> FlagBlocks | None:
        """The flag blocks of a storage with these axes, the size of a row as a launch-wide value; None without."""
        blocks = analysis.flag_blocks(self.schedule, storage)
        if blocks is None:
            return None
        row = analysis.row_elements(self.schedule, storage, axes[-1][1])
        name = self.name("row", storage.name)
        self.counts[name] = Let(name, row, f"elements that a row of {storage.name} takes with its flags")
        return FlagBlocks(*blocks, name, row)

    def chosen_size(self, axis: str | None) -> Expr:
        """The tile along an axis that the launcher chooses; without an axis, along what lies together."""
        of = ("tile size", axis) if axis else ("together size",)
        self.tuned[self.name(*of)] = axis
        return self.constant(1 if axis else analysis.LARGEST_TILE, *of)

    def chosen_tiles(self, axis: str | None, extent: Expr) -> Expr:
        """How many such tiles there are, as a launch-wide value."""
        name = self.name("tiles", axis) if axis else self.name("together tiles")
        self.counts[name] = Let(name, ceil_div(extent, self.chosen_size(axis)))
        return Sym(name)

    def chosen_offsets(self, axis: str | None) -> str:
        """The range of such a tile's elements."""
        name = self.name("offsets", axis) if axis else self.name("together offsets")
        self.offsets[name] = Offsets(name, self.chosen_size(axis))
        return name

    def run_extent(self, run: list[str]) -> Expr:
        """How many elements lie together on both sides, as a launch-wide value where it is a product."""
        if len(run) == 1:
            return Sym(run[0])
        name = self.name("together")
        self.counts.setdefault(name, Let(name, mul(*(Sym(a) for a in run)), "elements that lie together on both sides"))
        return Sym(name)

    def peer(self, axis: str) -> Sym:
        """The variable that runs over the slabs of `to` or `from`."""
        return self.sym("to" if axis == TO else "src")


def _homes(move: Move) -> set[str | None]:
    """The memories that a move touches."""
    return {s.overlay or s.name for s in (move.source, move.target)}


def _of_tile(size: Sym) -> str:
    """What a tile's size is of, as names that go with it say: the axis, with the phase where phases differ."""
    return size.name.lower().replace("tile_", "")


_BASES = {
    "to": TO,
    "src": "src",
    "i": "i",
    "nth": "n",
    "other": "other",
    "blk": "blk",
    "slot": "slot",
    "slot of": "slot_{}",
    "index": "{}",
    "start": "{}0",
    "tile": "{}_tile",
    "together": "run",
    "together tile": "run_tile",
    "together tiles": "tiles_run",
    "together size": "tile_run",
    "together offsets": "offs_run",
    "together start": "run0",
    "rows": "rows",
    "pair": "pair",
    "queue": "queue",
    "first": "first_{}",
    "run": "run_{}",
    "batch": "batch",
    "batch size": "{}_batch",
    "request": "request",
    "last": "last",
    "some": "some",
    "none": "none",
    "arrived": "arrived",
    "word of": "{}_word",
    "emptied": "emptied",
    "admitted": "admitted",
    "blocks": "blocks_{}",
    "tiles": "tiles_{}",
    "offsets": "offs_{}",
    "block size": "block_{}",
    "tile size": "tile_{}",
    "phase tile size": "{}_tile_{}",
    "lane": "{}_lane",
    "lanes": "{}_lanes",
    "slab": "{}_slab",
    "row": "{}_row",
}
