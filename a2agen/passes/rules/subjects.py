"""What rules look at and speak about."""

from __future__ import annotations

from collections.abc import Iterator

from a2agen.ir.model import Move, Phase, Role, Schedule, Storage
from a2agen.targets.profile import Link

Subject = tuple[str, str]


def linked(schedule: Schedule) -> Iterator[tuple[Phase, Link]]:
    """The phases whose link the target has, with what the profile says of it."""
    for phase in schedule.phases:
        if phase.link.name in schedule.target.links:
            yield phase, schedule.target.links[phase.link.name]


def of(thing: Phase | Role | Storage) -> Subject:
    """What a finding about a phase, role or storage is about."""
    return (type(thing).__name__.lower(), thing.name)


def own_rank(move: Move) -> bool:
    """Whether a move writes at the rank that makes it: the own slab, or any slab that stays on its side."""
    return "self" in move.pairs() or not move.crosses
