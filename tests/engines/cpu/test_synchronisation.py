"""The hand-written kernels run right, and without any one piece of their synchronisation something is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from a2agen.engines.cpu import simulate
from tests.engines.cpu.mutants import without_one
from tests.engines.cpu.programs import SUBJECTS, Subject

MUTANTS = [
    pytest.param(subject, text, id=f"{subject.name}: {what}")
    for subject in SUBJECTS
    for what, text in without_one(subject.program.kernel)
]


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_nothing_is_found_in_an_unedited_kernel(subject: Subject) -> None:
    outcome = simulate(subject.program, subject.shape, cores=subject.cores, launches=3, interleavings=200)
    assert outcome.error is None
    assert outcome.findings == ()
    assert outcome.verified
    assert outcome.interleavings == 200


@pytest.mark.parametrize(("subject", "text"), MUTANTS)
def test_what_is_missing_is_found(subject: Subject, text: str) -> None:
    edited = replace(subject.program, kernel=text)
    # Most are certain in one interleaving; a counter that goes wrong needs an order that shows it.
    for seed in range(50):
        outcome = simulate(edited, subject.shape, cores=subject.cores, seed=seed)
        assert outcome.error is None
        if outcome.findings:
            return
    pytest.fail("nothing found in 50 interleavings")


def test_every_kind_of_synchronisation_is_among_the_removed() -> None:
    removed = {what.split(" ")[0] for subject in SUBJECTS for what, _ in without_one(subject.program.kernel)}
    assert removed == {"fence", "notify", "wait", "consume_token", "quiet", "barrier_all", "debug_barrier"}
