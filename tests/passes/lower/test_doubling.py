"""Under rounds epoch, buffers and words are doubled where another rank writes them, and nowhere else."""

from __future__ import annotations

import pytest

from a2agen.engines.cpu.run import simulate
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.source import Source
from tests.passes.lower import matrix

CASE = {"W": 3, "S": 7, "H": 2, "D": 5}
LOOPBACK = (
    matrix.put("notify per block", "none", "epoch", ", one per peer", "even, rest of sender")
    .replace("ready notify per tile free credit per tile", "ready notify per tile")
    .replace("per block slots 2 overlay P[self]", "overlay P[self]")
)


def doubled(text: str) -> tuple[set[str], set[str]]:
    """The buffers and the words of a spec's schedule that have two halves."""
    (schedule,) = check(Source("swap.a2a", text)).schedules
    plan = lower(schedule)
    return tuple({x.name for x in found if "half" in dict(x.axes)} for found in (plan.memories, plan.words))  # type: ignore[return-value]


@pytest.mark.parametrize("pack", ["tile", "block", "peer"])
def test_a_packing_buffer_is_single_and_right(pack: str):
    text = matrix.packed(f"notify per {pack}", "notify per block", "none", "epoch", True)
    assert doubled(text) == ({"P"}, {"exchange_ready"})
    checked = check(Source("swap.a2a", text))
    outcome = simulate(checked, checked.schedules[0], CASE, cores=8, launches=4, interleavings=20)
    assert (outcome.verified, outcome.error, outcome.findings) == (True, None, ())


def test_nothing_is_doubled_where_credits_or_barriers_free():
    text = matrix.packed("notify per block", "notify per block", "credit per peer", "epoch", True)
    assert doubled(text) == (set(), set())


def test_an_overlay_lies_in_the_half_of_its_host_and_its_words_are_single():
    assert doubled(LOOPBACK) == ({"P"}, {"exchange_ready"})
    checked = check(Source("swap.a2a", LOOPBACK))
    outcome = simulate(checked, checked.schedules[0], CASE, cores=8, launches=4, interleavings=20)
    assert (outcome.verified, outcome.error, outcome.findings) == (True, None, ())


def test_words_that_another_rank_writes_are_doubled_with_those_of_the_own_rank():
    text = matrix.staged("ascend910c", "notify per tile", "none", "epoch", "[from S H D] symmetric")
    both = text.replace("move A -> P\n", "move A -> P for others\n    move A -> P for self\n")
    assert doubled(both) == ({"P"}, {"send_ready"})


def test_a_single_buffer_that_others_write_is_found_wrong(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("a2agen.passes.analysis.doubled", lambda *_: False)
    checked = check(Source("swap.a2a", matrix.packed("notify per block", "notify per block", "none", "epoch", True)))
    outcome = simulate(checked, checked.schedules[0], CASE, cores=8, launches=4, interleavings=60)
    assert not outcome.verified
