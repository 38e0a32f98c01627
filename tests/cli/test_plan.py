from __future__ import annotations

import pytest


@pytest.fixture
def _plans(checks, stand_in) -> None:
    stand_in("a2agen.passes.planning", describe=lambda schedule, values: f"plan of {schedule.name} for {values}\n")


@pytest.mark.usefixtures("_plans")
def test_shows_every_schedule_with_formulas_or_for_a_shape(cli, specs):
    specs(a="schedule one\nschedule two\n")
    assert cli("plan", "a.a2a").out == "plan of one for None\n\nplan of two for None\n"
    done = cli("plan", "a.a2a", "--schedule", "two", "--case", "tiny")
    assert (done.code, done.out) == (0, "plan of two for {'W': 2, 'S': 3}\n")


@pytest.mark.usefixtures("_plans")
def test_a_faulty_spec_has_no_plan(cli, specs):
    specs(a="schedule one\n# error\n")
    done = cli("plan", "a.a2a")
    assert done.code == 1
    assert "error[A301]" in done.out
    assert "plan of" not in done.out
    assert done.out.endswith("\n\n1 error in 1 spec; what is at fault is not shown\n")


@pytest.mark.usefixtures("_plans")
def test_sound_specs_beside_a_faulty_one_have_theirs(cli, specs):
    specs(a="schedule one\n# error\n", b="schedule two\n")
    done = cli("plan", "a.a2a", "b.a2a")
    assert done.code == 1
    assert done.out.endswith("\n\nplan of two for None\n\n1 error in 2 specs; what is at fault is not shown\n")
