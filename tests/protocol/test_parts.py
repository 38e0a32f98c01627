"""Each part of a protocol, left out or put elsewhere, makes some interleaving fail: none is there for show."""

from __future__ import annotations

import pytest

from a2agen.passes.protocol.model import Change, Path, Scenario
from a2agen.passes.protocol.table import Rounds
from tests.protocol.paths import path, verdicts

LONG = Scenario(launches=4)

PARITY = path("notify", "block")
ENTER = path("notify", "peer", free="credit", free_unit="peer")
ENTER_OUT = path("notify", "peer", free="credit", free_unit="peer", place="out")
MAILBOX = path("notify", "tile", free="credit", free_unit="tile", rounds="reset")
ENTER_MAILBOX = path("notify", "tile", free="credit", free_unit="tile")
START = path("barrier")
START_OUT = path("barrier", place="out")
HOST = path("notify", "block", rounds="reset")
HOST_OUT = path("notify", "block", rounds="reset", place="out")
FLAG_PARITY = path("flag")
FLAG_ENTER = path("flag", free="credit", free_unit="peer")
FLAG_HOST = path("flag", rounds="reset")

NEEDED: list[tuple[str, Path, Change, set[str]]] = [
    ("parity of data", PARITY, "data not doubled", {"WRONG"}),
    ("parity of words", PARITY, "words not doubled", {"HANG"}),
    ("parity of flagged data", FLAG_PARITY, "data not doubled", {"HANG", "WRONG"}),
    ("enter", ENTER, "no enter", {"HANG", "WRONG"}),
    ("enter of an output", ENTER_OUT, "no enter", {"HANG", "WRONG"}),
    ("enter of flagged data", FLAG_ENTER, "no enter", {"HANG", "WRONG"}),
    ("credit of an output at launch start", ENTER_OUT, "enter at kernel end", {"WRONG"}),
    ("wait for all of an output", ENTER_OUT, "no wait for all", {"HANG", "WRONG"}),
    ("wait for all of an output, host", HOST_OUT, "no wait for all", {"WRONG"}),
    ("mailbox wait", MAILBOX, "no wait for empty", {"HANG", "WRONG"}),
    ("mailbox clear", MAILBOX, "no clear by reader", {"HANG", "WRONG"}),
    ("start barrier", START, "no start barrier", {"WRONG"}),
    ("start barrier of an output", START_OUT, "no start barrier", {"WRONG"}),
    ("start barrier of an output, not at the end", START_OUT, "barrier at kernel end", {"WRONG"}),
    ("clear before the host barrier", HOST, "barrier before clear", {"HANG"}),
    ("clear by the reader of flags", FLAG_HOST, "no clear by reader", {"WRONG"}),
]


@pytest.mark.parametrize(("whole", "change", "expected"), [n[1:] for n in NEEDED], ids=[n[0] for n in NEEDED])
def test_part_is_needed(whole: Path, change: Change, expected: set[str]) -> None:
    assert verdicts(whole, LONG) == set()
    assert verdicts(whole, LONG, change) == expected


def test_enter_in_front_of_a_mailbox_is_for_layouts_that_change() -> None:
    moving = Scenario(launches=3, blocks=2, slots=2, relayout=True)
    assert verdicts(ENTER_MAILBOX, moving) == set()
    assert verdicts(ENTER_MAILBOX, moving, "no enter") == {"WRONG"}
    assert verdicts(ENTER_MAILBOX, LONG, "no enter") == set()


def test_a_barrier_at_kernel_end_is_enough_for_staging() -> None:
    assert verdicts(START, LONG, "barrier at kernel end") == set()


def test_parity_of_three_ranks() -> None:
    three = Scenario(ranks=3, launches=4)
    assert verdicts(PARITY, three) == set()
    assert "WRONG" in verdicts(PARITY, Scenario(ranks=3, launches=3), "data not doubled")
    assert "HANG" in verdicts(PARITY, Scenario(ranks=3, launches=3), "words not doubled")


@pytest.mark.parametrize("rounds", ["reset", "epoch"])
def test_a_barrier_per_block_frees_the_slot_before_the_last(rounds: Rounds) -> None:
    shared = path("barrier", free="barrier", rounds=rounds, slots_reused=True)
    assert verdicts(shared, Scenario(launches=2, blocks=3, slots=2)) == set()
    assert verdicts(shared, Scenario(launches=1, blocks=3, slots=1)) == {"WRONG"}
