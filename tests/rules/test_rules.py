"""Every rule speaks on its fixture, word for word as expected, and lets its near misses pass."""

from __future__ import annotations

import pytest

from a2agen.passes.rules import registry
from tests.rules import golden

STEMS = golden.stems()


@pytest.mark.parametrize("stem", STEMS)
def test_fixture_and_near_misses(stem: str) -> None:
    assert golden.faults(stem) == []


@pytest.mark.parametrize("stem", STEMS)
def test_findings_are_as_expected(stem: str) -> None:
    assert golden.golden(stem).is_file(), f"run: python tests/rules/golden.py --update {stem}"
    assert golden.rendered(golden.fixture(stem)) == golden.golden(stem).read_text(encoding="utf-8")


def test_no_file_without_a_rule() -> None:
    assert golden.strays() == []


def test_registry_knows_every_rule_file() -> None:
    assert sorted(rule.code for rule in registry.rules()) == sorted(
        golden.code_of(path.stem) for path in golden.rule_files()
    )


@pytest.mark.parametrize("rule", registry.rules(), ids=lambda rule: rule.code)
def test_a_rule_explains_itself(rule) -> None:  # type: ignore[no-untyped-def]
    first, *rest = rule.doc.split("\n\n")
    assert first == rule.summary
    assert first.endswith(".")
    assert any(part.startswith("Why it matters:") for part in rest)
    assert any(part.startswith("Instead") for part in rest)


def test_codes_and_names_are_unique() -> None:
    rules = registry.rules()
    assert len({r.code for r in rules}) == len({r.name for r in rules}) == len(rules)
