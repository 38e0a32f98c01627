"""Findings come sorted, once, and a faulty exchange silences the rules on its schedules."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.passes.spec_texts import EXCHANGE, SCHEDULE, codes, made

TEXT = EXCHANGE + SCHEDULE


def test_findings_are_in_the_order_of_the_text() -> None:
    checked = made(TEXT, ("rounds reset", "rounds rest"), ("W = 2", "W = 9"), ("D 64", "D 48"))
    places = [(f.span.line, f.span.column) for f in checked.findings]
    assert places == sorted(places)
    assert len(places) >= 2


def test_no_finding_comes_twice() -> None:
    twice = TEXT + SCHEDULE.replace("schedule s", "schedule t")
    checked = made(twice, ("bf16 [S (from D)]", "bf16 [S (from D) S]"))
    assert codes(checked) == ["A104"]
    assert len(set(checked.findings)) == len(checked.findings)


@pytest.mark.parametrize("move", ["C -> P", "P -> A", "P -> P"])
def test_nothing_is_said_of_the_consequences_of_a_move_that_cannot_be(move: str) -> None:
    checked = made(TEXT, ("move  P -> C", f"move  P -> C\n    move  {move}"))
    assert set(codes(checked)) <= {"A206", "A214"}
    assert not checked.sound(checked.schedules[0])


def test_schedules_of_a_faulty_exchange_are_not_judged_and_not_sound() -> None:
    checked = made(TEXT, ("out C : bf16 [S (from D)]", "out C : bf16 [from S]"), ("reader : odd", "reader : all"))
    assert codes(checked) == ["A202"]
    assert not checked.sound(checked.schedules[0])
    assert codes(made(TEXT, ("reader : odd", "reader : all"))) == ["A402"]


def test_soundness_is_that_of_each_schedule() -> None:
    other = SCHEDULE.replace("schedule s", "schedule t").replace("D 64", "D 48")
    checked = made(TEXT + other)
    assert [checked.sound(s) for s in checked.schedules] == [True, False]


@pytest.mark.parametrize(
    "text", ["", "\n", "# nothing\n", "exchange", "}", "schedule s for e {", "\x00", "é", "[" * 5000]
)
def test_any_text_gives_findings(text: str) -> None:
    assert codes(made(text))


def test_every_cut_of_a_spec_gives_findings_and_no_exception() -> None:
    for end in range(0, len(TEXT) - 3, 7):
        assert made(TEXT[:end]).findings or TEXT[:end].strip().endswith("}")


def test_every_word_left_out_or_doubled_gives_no_exception() -> None:
    pieces = TEXT.split(" ")
    for n in range(len(pieces)):
        made(" ".join(pieces[:n] + pieces[n + 1 :]))
        made(" ".join([*pieces[:n], pieces[n], *pieces[n:]]))


def test_checks_load_no_heavy_package() -> None:
    code = (
        "import sys; from a2agen.passes.check import check; from a2agen.source import Source; "
        f"check(Source('x', {TEXT!r})); "
        "print(sorted({'numpy', 'jinja2', 'ml_dtypes', 'greenlet', 'torch', 'asyncio', 'lark'} & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
