"""Every emitted kernel: right in small shapes, and whatever is taken out of its synchronisation is found."""

from __future__ import annotations

import pytest

from a2agen.engines.ascendc import syntax
from a2agen.engines.ascendc.run import simulate, sources_of
from tests.engines.ascendc.removals import removals
from tests.engines.ascendc.shipped import name_of, shipped

WORK = shipped()
NAMES = [name_of(schedule) for _, schedule in WORK]
TRIES = 4


def test_there_are_some():
    assert "reverse_all2all/udma_put" in NAMES


@pytest.mark.parametrize("checked, schedule", WORK, ids=NAMES)  # noqa: PT006
def test_the_kernel_is_right(checked, schedule):
    outcome = simulate(checked, schedule, None, interleavings=14)
    assert (outcome.error, outcome.findings, outcome.verified) == (None, (), True)


@pytest.mark.parametrize("checked, schedule", WORK, ids=NAMES)  # noqa: PT006
def test_whatever_is_taken_out_is_found(checked, schedule, tmp_path):
    missed, tried = [], 0
    for removal in removals(sources_of(checked, schedule).kernel):
        tried += 1
        edited = tmp_path / "edited.cpp"
        edited.write_text(removal.text, encoding="utf-8")
        outcome = simulate(checked, schedule, None, kernel=edited, interleavings=TRIES)
        assert outcome.error is None, (str(removal), outcome.error)
        if not outcome.findings:
            missed.append(str(removal))
    assert tried > 0
    assert missed == []


@pytest.mark.parametrize("checked, schedule", WORK, ids=NAMES)  # noqa: PT006
def test_clang_has_nothing_to_say(checked, schedule):
    pytest.importorskip("clang.cindex")
    sources = sources_of(checked, schedule)
    assert syntax.kernel_faults(sources.kernel) == ()
    assert syntax.host_faults(sources.host, sources.kernel) == ()
