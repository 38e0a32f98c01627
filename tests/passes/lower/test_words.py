"""Signal words of plans: who waits is told, who is told waits, and no word is there for nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from a2agen.passes.lower import lower
from tests.passes.lower import matrix
from tests.passes.lower.interpret import Machine, PlanError

VALUES = {"W": 3, "S": 7, "H": 2, "D": 5}


def after_launches(name: str) -> Machine:
    machine = Machine(lower(matrix.sound()[name]), VALUES, 8)
    machine.run(launches=2)
    return machine


@pytest.mark.parametrize("name", sorted(matrix.sound())[::3])
def test_words_waited_for_and_words_told_are_the_same(name):
    machine = after_launches(name)
    assert machine.waited == machine.notified


@pytest.mark.parametrize("name", sorted(n for n in matrix.sound() if "credit per tile" in n))
def test_mailboxes_are_empty_behind_a_launch_and_all_of_them_are_used(name):
    machine = after_launches(name)
    full = [region.name for region in machine.plan.words if region.name.endswith("_full")]
    assert full
    assert {value for (_, region, _), value in machine.words.items() if region in full} == {0}
    for region in full:
        every = set(product(*(range(extent) for _, extent in machine.regions[region])))
        assert {index for _, name, index in machine.notified if name == region} == every


def test_a_word_that_nobody_waits_for_is_found():
    plan = lower(matrix.sound()["h200 straight: notify per peer, credit per peer, epoch"])
    hasty = replace(plan, kernels=(replace(plan.kernel, epilogue=plan.kernel.epilogue[-1:]),))
    machine = Machine(hasty, VALUES, 8)
    with pytest.raises(PlanError):  # the launch ends before its rows are there
        machine.run(launches=1)
    assert {name for _, name, _ in machine.notified - machine.waited} == {"send_ready"}
