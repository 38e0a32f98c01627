"""A suppression takes away what it names where it stands, and is a finding itself where it does not."""

from __future__ import annotations

from tests.passes.spec_texts import EXCHANGE, SCHEDULE, codes, made

BAD = (EXCHANGE + SCHEDULE).replace("D 64", "D 48")
LINE = "    tile  S 8, D 48\n    ready"
COMMENT = "# a2a: allow[A209] a reason"


def test_two_findings_without_suppression() -> None:
    assert codes(made(BAD)) == ["A209", "A209"]


def test_on_the_line() -> None:
    assert codes(made(BAD, (LINE, LINE.replace("\n", f"   {COMMENT}\n")))) == ["A209"]


def test_above_the_statement() -> None:
    assert codes(made(BAD, (LINE, f"    {COMMENT}\n{LINE}"))) == ["A209"]


def test_above_the_phase() -> None:
    assert codes(made(BAD, ("  phase send", f"  {COMMENT}\n  phase send"))) == ["A209"]


def test_above_the_schedule() -> None:
    checked = made(BAD, ("schedule s", f"{COMMENT}\nschedule s"))
    assert codes(checked) == []
    assert checked.sound(checked.schedules[0])


def test_of_another_code() -> None:
    changed = (LINE, LINE.replace("\n", "   # a2a: allow[A210] a reason\n"))
    assert codes(made(BAD, changed)) == ["A209", "A901", "A209"]


def test_on_another_line() -> None:
    assert codes(made(BAD, ("  block", f"  {COMMENT}\n  block"))) == ["A901", "A209", "A209"]


def test_without_a_reason() -> None:
    assert codes(made(BAD, ("schedule s", "# a2a: allow[A209]\nschedule s"))) == ["A902"]


def test_twice_on_one_finding_is_once_too_many() -> None:
    checked = made(BAD, ("schedule s", f"{COMMENT}\nschedule s"), (LINE, f"    {COMMENT}\n{LINE}"))
    assert codes(checked) == ["A901"]


def test_a_fault_of_names_stays() -> None:
    changed = (LINE, LINE.replace("D 48\n", "Dd 64   # a2a: allow[A103] a reason\n"))
    assert codes(made(BAD, changed)) == ["A103", "A903", "A209"]


def test_an_unknown_code() -> None:
    assert codes(made(BAD, ("schedule s", "# a2a: allow[A999] a reason\nschedule s"))) == ["A903", "A209", "A209"]


def test_silent_where_rules_could_not_look() -> None:
    changes = (("schedule s", f"{COMMENT}\nschedule s"), ("target ascend910c", "target ascend"))
    assert codes(made(BAD, *changes)) == ["A103"]
    changes = (("schedule s", f"{COMMENT}\nschedule s"), ("out C : bf16 [S (from D)]", "out C : bf16 [S from]"))
    assert codes(made(BAD, *changes)) == ["A202"]
