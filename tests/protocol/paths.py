"""The paths that the tests explore: one for each row and each shape that a model of it can take."""

from __future__ import annotations

from a2agen.passes.protocol.explore import Outcome, explore
from a2agen.passes.protocol.model import Change, Path, Scenario, streams
from a2agen.passes.protocol.table import (
    FreeKind,
    Place,
    Protocol,
    ReadyKind,
    Rounds,
    Row,
    Unit,
    combinations,
    lookup,
    phrase,
)


def path(
    ready: ReadyKind,
    ready_unit: Unit | None = None,
    *,
    free: FreeKind = "none",
    free_unit: Unit | None = None,
    rounds: Rounds = "epoch",
    place: Place = "staging",
    slots_reused: bool = False,
    protocol: Protocol | None = None,
) -> Path:
    """The path of a combination, under its row's protocol or another."""
    row = lookup(ready, ready_unit, free, free_unit, rounds, place, slots_reused)
    return Path(protocol or row.protocol, (ready, ready_unit), (free, free_unit), place, slots_reused)


def all_paths(*, refused: bool) -> dict[str, tuple[Row, Path]]:
    """By name, every combination of the language, without those that differ in `rounds` alone."""
    found: dict[str, tuple[Row, Path]] = {}
    for ready, free, rounds, place, slots_reused in combinations():
        row = lookup(*ready, *free, rounds, place, slots_reused)
        if (row.error is not None) == refused:
            shared = "shared slots" if slots_reused else "own slots"
            name = f"{row.protocol.name}: {phrase(ready)}, free {phrase(free)}, {place}, {shared}"
            found[name] = (row, Path(row.protocol, ready, free, place, slots_reused))
    return found


def outcome(path: Path, scenario: Scenario, *changes: Change) -> Outcome:
    """All that the path can come to."""
    return explore(streams(path, scenario, frozenset(changes)))


def verdicts(path: Path, scenario: Scenario, *changes: Change) -> set[str]:
    return set(outcome(path, scenario, *changes).verdicts)
