"""The table answers for everything that the grammar can say."""

from __future__ import annotations

import pytest

from a2agen.passes.protocol.table import TABLE, Protocol, combinations, lookup


def test_every_combination_has_a_row_and_every_row_a_combination() -> None:
    rows = [lookup(*ready, *free, rounds, place, slots) for ready, free, rounds, place, slots in combinations()]
    assert len(rows) == 256
    assert [row for row in TABLE if row not in rows] == []


def test_no_emitted_row_hides_behind_another() -> None:
    """Only refusals overlap, so what is emitted does not depend on the order of the rows."""
    for key in combinations():
        emitted = [row for row in TABLE if row.error is None and row.covers(*key)]
        assert len({row.protocol for row in emitted}) <= 1


def test_a_row_is_an_error_or_safe_in_some_way() -> None:
    for row in TABLE:
        assert (row.error is None) == (row.protocol.safe != "no")
        assert row.error is None or row.error[-1] not in ".!?"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (("barrier", None, "none", None, "reset", "staging", False), "HOST + barrier per block"),
        (("barrier", None, "barrier", None, "epoch", "staging", True), "START + barrier per block"),
        (("barrier", None, "none", None, "reset", "staging", True), "HOST + barrier per block"),
        (("barrier", None, "none", None, "epoch", "out", False), "START + barrier per block"),
        (("notify", "block", "none", None, "reset", "staging", False), "HOST"),
        (("notify", "tile", "none", None, "epoch", "staging", False), "PARITY"),
        (("notify", "tile", "credit", "tile", "reset", "staging", True), "MAILBOX"),
        (("notify", "tile", "credit", "tile", "epoch", "staging", True), "ENTER + MAILBOX"),
        (("notify", "peer", "credit", "peer", "epoch", "out", False), "ENTER, words carry n"),
        (("signal", "block", "none", None, "epoch", "staging", False), "PARITY"),
        (("signal", "peer", "credit", "peer", "reset", "staging", False), "HOST"),
        (("flag", None, "none", None, "epoch", "staging", False), "flag = n, PARITY"),
        (("flag", None, "credit", "peer", "epoch", "staging", False), "flag = n, ENTER"),
        (("flag", None, "none", None, "reset", "staging", False), "reader clears, then HOST"),
        (("none", None, "none", None, "reset", "out", False), "none"),
    ],
)
def test_emitted(key: tuple[object, ...], expected: str) -> None:
    row = lookup(*key)  # type: ignore[arg-type]
    assert row.error is None
    assert row.protocol.name == expected


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (("notify", "peer", "none", None, "epoch", "out", False), "say free credit per peer, or ready barrier"),
        (("notify", "tile", "none", None, "reset", "staging", True), "share a slot"),
        (("notify", "block", "credit", "tile", "reset", "staging", False), "units differ"),
        (("signal", "peer", "credit", "tile", "reset", "staging", False), "units differ"),
        (("notify", "tile", "barrier", None, "reset", "staging", False), "this phase has none"),
        (("notify", "peer", "credit", "peer", "reset", "out", False), "rounds reset numbers no launch"),
        (("none", None, "credit", "tile", "reset", "staging", False), "nobody frees it"),
        (("flag", None, "none", None, "epoch", "out", False), "no flag blocks"),
    ],
)
def test_refused(key: tuple[object, ...], reason: str) -> None:
    assert reason in (lookup(*key).error or "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "key",
    [
        ("notify", None, "none", None, "reset", "staging", False),
        ("signal", "tile", "none", None, "reset", "staging", False),
        ("barrier", None, "credit", None, "reset", "staging", False),
    ],
)
def test_what_the_grammar_cannot_say(key: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="no clause: ready"):
        lookup(*key)  # type: ignore[arg-type]


def test_an_output_waits_for_all_that_is_announced() -> None:
    for ready, free, rounds, place, slots_reused in combinations():
        row = lookup(*ready, *free, rounds, place, slots_reused)
        if row.error is None and ready[0] in ("notify", "signal"):
            assert row.protocol.wait_all == (place == "out")


def test_fields_say_nothing_by_default() -> None:
    assert Protocol("x", "no") == Protocol(
        "x", "no", False, False, False, False, False, False, None, None, False, "any"
    )
