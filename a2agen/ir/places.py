"""Places in memories: what operations of cores and copies of hosts read and write."""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.ir.expr import Expr
from a2agen.ir.signals import Index


@dataclass(frozen=True, slots=True)
class Access:
    """A place in a memory, at this rank or at `rank`; `tokens` name the waits that its pointer depends on."""

    memory: str
    index: Index
    rank: Expr | None = None
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TileAxis:
    """Elements of an axis from `start` on, those below `extent`; `offsets` names the range of how many, None for one
    element."""

    axis: str
    start: Expr
    extent: Expr
    offsets: str | None


@dataclass(frozen=True, slots=True)
class Offsets:
    """The constant range 0..size that tiles of one size along one axis share."""

    name: str
    size: Expr
