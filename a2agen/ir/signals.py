"""Signal words, as rules and plans name them. The rules need no more of a plan, whose classes take a while to make."""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.ir.expr import Expr

Index = tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, slots=True)
class Words:
    """Signal words in symmetric memory, one to a stride of the profile, indexed by axes outer first.

    `cleared`: the launcher sets them to zero before each launch.
    """

    name: str
    axes: tuple[tuple[str, Expr], ...]
    about: str
    cleared: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """The word at an index; `count` words from there along the last axis."""

    words: str
    index: Index
    count: Expr | None = None
