"""docs/language.md: its examples are specs, and no word is missing from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from a2agen.findings import fails
from a2agen.grammar.tables import load
from a2agen.passes.check import check
from a2agen.source import Source
from tests.grammar.texts import exchange_of, parsed, phase_of, schedule_of

TEXT = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```a2a ?(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
WORDS = sorted({word for actions in load().actions for word in actions if word.isalpha()})


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_examples_can_be_read(kind: str, example: str) -> None:
    readers = {"": parsed, "exchange": exchange_of, "schedule": schedule_of, "phase": phase_of}
    readers[kind](example)


@pytest.mark.parametrize("kind", ["exchange", "schedule", "phase"])
def test_there_are_examples_of_every_statement(kind: str) -> None:
    lines = [line.split() for of, example in EXAMPLES if of == kind for line in example.splitlines()]
    assert set(load().levels[f"_{kind}_statement"]) <= {line[0] for line in lines if line}


@pytest.mark.parametrize("word", WORDS)
def test_every_word_occurs(word: str) -> None:
    code = re.findall(r"`([^`\n]+)`", TEXT) + re.findall(r"^```.*?\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert any(word in re.findall(r"\w+", piece) for piece in code)


def whole_specs() -> list[str]:
    """The examples that are whole specs, and those that are whole schedules, for the first example's exchange."""
    exchange = EXAMPLES[0][1].partition("schedule ")[0]
    whole = [example for kind, example in EXAMPLES if not kind]
    schedules = [example for kind, example in EXAMPLES if kind == "schedule" and "phase " in example]
    return whole + [f"{exchange}schedule s for reverse_all2all {{\n{example}}}\n" for example in schedules]


@pytest.mark.parametrize("spec", whole_specs())
def test_whole_examples_have_no_faults(spec: str) -> None:
    assert not fails(check(Source("language.a2a", spec)).findings)
