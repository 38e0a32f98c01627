"""Launches of several shapes in one memory: what they share, and what is checked of each."""

from __future__ import annotations

import pytest

from a2agen.engines.cpu import simulate
from tests.engines.cpu.small import kinds, small

SHORT, LONG = {"W": 2, "S": 1, "D": 5}, {"W": 2, "S": 1, "D": 16}


def test_launches_take_their_shapes_in_turn() -> None:
    outcome = simulate(small(), SHORT, then=(LONG, {"W": 2, "S": 1, "D": 1}), launches=7, interleavings=4)
    assert outcome.verified
    (ran,) = outcome.shapes
    assert (ran.values, ran.then) == (SHORT, (LONG, {"W": 2, "S": 1, "D": 1}))


def test_a_shape_does_not_reach_into_the_memory_of_a_larger_one() -> None:
    beyond = "if pid == 0:\n    x = tl.load(P + W * D)"
    assert kinds(simulate(small(beyond), SHORT, then=(LONG,), launches=2)) == {"out-of-bounds"}
    assert simulate(small(), SHORT, then=(LONG,), launches=2).verified


def test_words_and_data_stay_from_shape_to_shape() -> None:
    """What a launch leaves in memory, the next finds, whatever its shape."""
    count = "if pid == 0:\n    tl.store(scratch, tl.load(scratch) + 1)\n    assert tl.load(scratch) <= 2"
    program = small(count)
    first = "self._words.zero_()"
    program = type(program)(
        program.kernel,
        program.kernel_path,
        program.launcher.replace(first, f"{first}\n        self._scratch.zero_()"),
        program.launcher_path,
        program.exchange,
    )
    assert simulate(program, SHORT, then=(LONG,), launches=2).error is None
    assert "AssertionError" in (simulate(program, SHORT, then=(LONG,), launches=3).error or "")


def test_the_number_of_ranks_stays() -> None:
    with pytest.raises(ValueError, match="number of ranks is the same"):
        simulate(small(), SHORT, then=({"W": 3, "S": 1, "D": 5},))


def test_ranks_run_ahead_of_one_another() -> None:
    assert simulate(small(), SHORT, launches=3, interleavings=8).lead == 1
    free = small()
    alone = free.kernel.replace("    libshmem_device.barrier_all()\n", "")
    apart = type(free)(alone, free.kernel_path, free.launcher, free.launcher_path, free.exchange)
    assert simulate(apart, SHORT, launches=4, interleavings=16, checked=False).lead > 1
