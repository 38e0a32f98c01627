"""A slice of the sweep `refused`: what rules refuse misbehaves without them, and the harness itself does no harm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from a2agen.emit.unsupported import unsupported
from a2agen.engines.cpu.program import Program
from a2agen.passes.check import check
from a2agen.passes.rules.registry import rule
from a2agen.source import Source
from tests.fuzz.dealing import dealt_otherwise
from tests.fuzz.faults import changed
from tests.fuzz.running import program, run
from tests.fuzz.shapes import few_tasks
from tests.fuzz.switched_off import CLAUSES, LIMITS, attempt, refused_by, without
from tests.fuzz.writer import spec

FIXTURES = Path(__file__).parents[1] / "rules" / "fixtures"
# Rules about what happens, whose own fixture is emitted without them.
SHOWN = ("a503", "a507", "a601", "a602", "a604", "a605", "a606", "a607", "a609", "a611", "a612")


def source(text: str) -> Source:
    return Source("spec.a2a", text)


@pytest.mark.parametrize("code", SHOWN)
def test_the_fixture_of_a_rule_misbehaves_without_it(code: str) -> None:
    (path,) = FIXTURES.glob(f"{code}_*.a2a")
    tried = attempt(source(path.read_text(encoding="utf-8")), code.upper(), interleavings=24)
    assert tried.misbehaves, tried


def test_random_specs_that_one_rule_refuses() -> None:
    verdicts = []
    for seed in range(80):
        text = source(changed(seed).text())
        code = refused_by(check(text))
        if code and code not in LIMITS | CLAUSES:
            verdicts.append(attempt(text, code, interleavings=8).verdict)
    assert verdicts.count("misbehaves") > 5
    assert verdicts.count("right") <= 1


@pytest.mark.parametrize("seeds", [range(20), range(20, 40)], ids=str)
def test_sound_specs_are_right_however_tasks_are_dealt(seeds: range) -> None:
    edited = 0
    for seed in seeds:
        checked = check(source(spec(seed)))
        schedule = checked.schedules[0]
        if not checked.sound(schedule) or unsupported(schedule, checked.source) or schedule.emit != "triton_dist":
            continue
        setups = few_tasks(schedule)
        made = program(checked, schedule)
        assert isinstance(made, Program)
        other = replace(made, kernel=dealt_otherwise(made.kernel))
        edited += other != made
        assert not setups or run(other, setups, launches=3, interleavings=1, seed=seed).verified, seed
    assert edited > len(seeds) // 3


def test_without_a_rule_only_its_findings_are_gone() -> None:
    (path,) = FIXTURES.glob("a601_*.a2a")
    text = source(path.read_text(encoding="utf-8"))
    before = check(text).findings
    with without("A601"):
        after = check(text).findings
    assert after == tuple(f for f in before if f.code != "A601") != before
    assert check(text).findings == before
    assert refused_by(check(text)) == "A601"


def test_what_is_sound_without_the_rule_is_right() -> None:
    """The negative control: a spec with nothing wrong does not misbehave."""
    path = FIXTURES / "clean" / "a601_slot_reuse_without_free_barrier.a2a"
    assert attempt(source(path.read_text(encoding="utf-8")), "A601", interleavings=12).verdict == "right"


def test_the_lists_name_rules() -> None:
    for code in LIMITS | CLAUSES:
        found = rule(code)
        assert found is not None
        assert code[1] in "456"
    assert not set(LIMITS) & set(CLAUSES)
