"""The search itself: it finds what is there, and does not call safe what it has not seen."""

from __future__ import annotations

import pytest

from a2agen.passes.protocol.explore import Add, Operation, Read, Store, TooManyStatesError, Wait, explore


def test_counts_every_interleaving() -> None:
    """Two cores of two steps each can stand in 3 x 3 places, side by side in a rank or each in its own."""
    core = [Add("x", 1), Add("x", 1)]
    assert explore([[[core, core]]]).states == 9
    assert explore([[[core]], [[core]]]).states == 9


def test_stages_of_a_rank_follow_one_another() -> None:
    assert explore([[[[Store((("x", 1),))]], [[Read("x", 1)]]]]).safe
    assert explore([[[[Store((("x", 1),))], [Read("x", 1)]]]]).verdicts == {"WRONG"}


def test_a_stage_without_work_is_passed() -> None:
    assert explore([[[[]], [[Store((("x", 1),))]], [[]], [[], []]], [[[Wait("x", 1)]]]]).safe


def test_a_store_of_several_cells_is_one_step() -> None:
    reader: list[Operation] = [Wait("flag", 1), Read("data", 5)]
    assert explore([[[[Store((("data", 5), ("flag", 1)))], reader]]]).safe
    assert explore([[[[Store((("flag", 1),)), Store((("data", 5),))], reader]]]).verdicts == {"WRONG"}


def test_equality_misses_what_at_least_sees() -> None:
    writer = [Store((("x", 1),)), Store((("x", 2),))]
    assert explore([[[writer, [Wait("x", 1)]]]]).verdicts == {"HANG"}
    assert explore([[[writer, [Wait("x", 1, at_least=True)]]]]).safe


def test_a_wait_for_nobody_hangs() -> None:
    assert explore([[[[Wait("x", 1)]]], [[[Add("y", 1)]]]]).verdicts == {"HANG"}


def test_the_search_goes_on_after_a_verdict() -> None:
    core: list[Operation] = [Read("x", 1), Wait("x", 1)]
    assert explore([[[core]]]).verdicts == {"HANG", "WRONG"}


def test_too_many_states_are_no_verdict() -> None:
    core = [Add("x", 1)] * 10
    with pytest.raises(TooManyStatesError, match="more than 50 states"):
        explore([[[core, core]]], limit=50)


def test_an_invariant_is_checked_in_every_state() -> None:
    streams = [[[[Add("x", 1)]], [[Add("x", 1)]]], [[[Add("y", 1)]]]]
    assert explore(streams, invariant=lambda stages: stages[0] <= 2).safe
    assert explore(streams, invariant=lambda stages: stages != (2, 0)).verdicts == {"BROKEN"}
