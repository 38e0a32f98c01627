"""docs/rules is what the rule files make, and what `explain` shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from a2agen.cli.app import run
from a2agen.passes.rules.__main__ import main
from a2agen.passes.rules.document import FAMILIES, pages
from a2agen.passes.rules.registry import rules

DOCS = Path(__file__).parents[2] / "docs" / "rules"


def test_the_pages_are_fresh() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in DOCS.iterdir()}
    assert found == pages(), "run python -m a2agen.passes.rules docs/rules"


def test_every_rule_has_a_family_that_the_list_shows() -> None:
    assert {rule.code[1] for rule in rules()} == set(FAMILIES)
    assert all(f"[{rule.code}]({rule.code}.md)" in pages()["README.md"] for rule in rules())


def test_explain_shows_the_same_text(capsys: pytest.CaptureFixture[str]) -> None:
    for rule in rules():
        assert run(["explain", rule.code]) == 0
        page = pages()[f"{rule.code}.md"].removeprefix("# ")
        assert capsys.readouterr().out.rstrip("\n") == page.rstrip("\n")


def test_writing_removes_pages_of_rules_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "A000.md").write_text("gone", encoding="utf-8")
    main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(pages())
