"""Rows hold where an engine carries the data: beside the cores, in any order, completed by quiets or at kernel end."""

from __future__ import annotations

import pytest

from a2agen.passes.protocol.driven import DrivenChange, driven_streams
from a2agen.passes.protocol.explore import explore
from a2agen.passes.protocol.model import Path, Scenario
from tests.protocol.paths import all_paths, path

# Two cores with a block each are two queues, each with a word of its own.
QUEUES = Scenario(launches=2, senders=2, blocks=2)

DRIVEN = {
    name: found
    for name, (_, found) in all_paths(refused=False).items()
    if found.ready[0] != "none" and found.ready[1] != "tile" and not found.slots_reused
}


def verdicts(found: Path, scenario: Scenario, *changes: DrivenChange) -> set[str]:
    return set(explore(driven_streams(found, scenario, frozenset(changes))).verdicts)


@pytest.mark.parametrize("found", DRIVEN.values(), ids=DRIVEN)
def test_the_row_is_safe_with_an_engine(found: Path) -> None:
    assert verdicts(found, Scenario(launches=3)) == set()


BROUGHT = {name: found for name, found in DRIVEN.items() if found.ready[0] in ("signal", "flag")}


@pytest.mark.parametrize("found", list(BROUGHT.values())[::2], ids=list(BROUGHT)[::2])
def test_the_row_is_safe_with_two_queues(found: Path) -> None:
    assert verdicts(found, QUEUES) == set()


def test_every_kind_that_an_engine_can_announce_is_among_them() -> None:
    assert {found.ready[0] for found in DRIVEN.values()} == {"barrier", "notify", "signal", "flag"}


SIGNAL = path("signal", "block")
NEEDED: list[tuple[Path, DrivenChange, set[str]]] = [
    (path("notify", "block"), "no quiet", {"WRONG"}),
    (path("notify", "peer", free="credit", free_unit="peer", place="out"), "no quiet", {"WRONG"}),
    (path("barrier"), "no quiet", {"WRONG"}),
    (SIGNAL, "signal before data", {"WRONG"}),
    (path("signal", "peer", free="credit", free_unit="peer"), "signal before data", {"WRONG"}),
    (path("flag"), "flag before data", {"WRONG"}),
    (path("flag", rounds="reset"), "flag before data", {"WRONG"}),
    (SIGNAL, "no quiet at kernel end", {"WRONG"}),
    (path("flag"), "no quiet at kernel end", {"WRONG"}),
]


@pytest.mark.parametrize(("whole", "change", "expected"), NEEDED)
def test_what_an_engine_needs(whole: Path, change: DrivenChange, expected: set[str]) -> None:
    assert verdicts(whole, Scenario(launches=3)) == set()
    assert expected <= verdicts(whole, Scenario(launches=3), change)


def test_a_source_that_is_not_completed_is_the_only_thing_wrong_with_a_late_put() -> None:
    """The reader is told by signal or flag: it never reads too early. What goes wrong is the packing of the next
    launch."""
    for found in (SIGNAL, path("flag")):
        once = Scenario(launches=1)
        assert verdicts(found, once, "no quiet at kernel end") == set()
