"""Every row of the table is what it says it is, in every interleaving."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from a2agen.passes.protocol.model import Path, Scenario
from a2agen.passes.protocol.table import Row
from tests.protocol.paths import all_paths, outcome, verdicts

EMITTED = all_paths(refused=False)
REFUSED = all_paths(refused=True)


def scenarios(path: Path) -> list[Scenario]:
    """Small worlds of 2 and 3 ranks, 2 and 3 cores. Shared slots are two, with a third block to come round."""
    if path.slots_reused:
        return [Scenario(launches=3, blocks=3, slots=2), Scenario(launches=4, senders=2, blocks=3, slots=2)]
    return [Scenario(launches=4), Scenario(ranks=3, launches=3), Scenario(launches=4, senders=2, blocks=2)]


@pytest.mark.parametrize(("row", "path"), EMITTED.values(), ids=EMITTED)
def test_emitted_row_is_safe(row: Row, path: Path) -> None:
    assert row.error is None
    for scenario in scenarios(path):
        found = outcome(path, scenario)
        assert found.safe, scenario
        assert found.states > scenario.ranks * scenario.launches


# Shapes that change: data lies elsewhere while words do not, or the number of blocks differs.
CHANGES = [
    Scenario(launches=3, blocks=2, slots=2, relayout=True),
    Scenario(launches=4, blocks=1, blocks_in_turn=2, slots=2),
    Scenario(launches=4, blocks=3, blocks_in_turn=1, slots=2),
]


@pytest.mark.parametrize(("row", "path"), EMITTED.values(), ids=EMITTED)
def test_what_a_row_says_of_shapes(row: Row, path: Path) -> None:
    """Only rows that say so need the shape to stay as it is from launch to launch, or halves at fixed places."""
    fixed = [verdicts(path, change) for change in CHANGES]
    moving = [verdicts(path, replace(change, halves_move=True)) for change in CHANGES]
    assert (fixed[0] == {"WRONG"}) == (row.protocol.shapes == "one")
    assert any(fixed) == (row.protocol.shapes == "one")
    assert any(moving) == (row.protocol.shapes != "any")


def test_every_word_for_shapes_has_rows() -> None:
    assert {row.protocol.shapes for row, _ in EMITTED.values()} == {"any", "fixed halves", "one"}


HOST = {name: both for name, both in EMITTED.items() if both[0].protocol.safe == "host"}


@pytest.mark.parametrize(("row", "path"), HOST.values(), ids=HOST)
def test_host_rows_need_the_host(row: Row, path: Path) -> None:
    assert row.protocol.host
    bare = Scenario(launches=2, blocks=3 if path.slots_reused else 1, slots=2)
    assert verdicts(path, bare, "no host")
    assert verdicts(path, bare, "no host barrier")


def test_only_host_rows_enter_the_host_barrier() -> None:
    assert all(row.protocol.host == (row.protocol.safe == "host") for row, _ in EMITTED.values())


@pytest.mark.parametrize(("row", "path"), REFUSED.values(), ids=REFUSED)
def test_refused_row_goes_wrong(row: Row, path: Path) -> None:
    assert row.error is not None
    assert verdicts(path, Scenario(launches=2, blocks=2 if path.slots_reused else 1, slots=1))


WITHIN = {name: both for name, both in REFUSED.items() if "share a slot" in (both[0].error or "")}


@pytest.mark.parametrize(("row", "path"), WITHIN.values(), ids=WITHIN)
def test_slots_shared_without_free_go_wrong_within_a_launch(row: Row, path: Path) -> None:
    assert row.slots_reused == (True,)
    assert "WRONG" in verdicts(path, Scenario(launches=1, blocks=2, slots=1))


def weakened(path: Path) -> dict[str, Path]:
    """The path under its protocol less one part, for each part that the protocol has."""
    parts: dict[str, dict[str, Any]] = {
        field.name: {field.name: None if field.name in ("word_value", "clear") else False}
        for field in fields(path.protocol)
        if field.name not in ("name", "safe", "shapes") and getattr(path.protocol, field.name)
    }
    return {part: replace(path, protocol=replace(path.protocol, **less)) for part, less in parts.items()}


WEAKENED = {
    f"{name}, without {part}": (path, less)
    for name, (_, path) in EMITTED.items()
    for part, less in weakened(path).items()
}
# With a slot for every block, a rank that has started the launch has freed them all: credit per peer says just that.
SPARE = WEAKENED.pop("ENTER + MAILBOX: notify per tile, free credit per tile, staging, own slots, without mailbox")


@pytest.mark.parametrize(("path", "less"), WEAKENED.values(), ids=WEAKENED)
def test_no_part_of_a_row_is_too_much(path: Path, less: Path) -> None:
    """Nothing redundant is emitted: each part is needed at least where the layout changes between launches."""
    blocks = 3 if path.slots_reused else 1
    moving = Scenario(launches=3, blocks=2, slots=2, relayout=True)
    assert verdicts(less, Scenario(launches=2, blocks=blocks, slots=2)) or verdicts(less, moving)


def test_the_one_part_that_is_too_much_without_shared_slots() -> None:
    _, less = SPARE
    assert verdicts(less, Scenario(launches=3, blocks=2, relayout=True)) == set()
    assert "WRONG" in verdicts(replace(less, slots_reused=True), Scenario(launches=2, blocks=3, slots=2))
