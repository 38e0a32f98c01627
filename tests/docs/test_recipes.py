"""CONTRIBUTING.md: whoever follows a recipe word for word gets what it promises."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.docs.document import ROOT, Follower, blocks, sections

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = {heading: text for heading, text in sections(TEXT).items() if any(b.path for b in blocks(text))}
FOLDERS = ("a2agen", "specs", "generated", "tests")
# Not needed, but the type checker is slow without it.
CACHE = ".mypy_cache"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project, to change."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    if (ROOT / CACHE).is_dir():
        shutil.copytree(ROOT / CACHE, tmp_path / CACHE)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_there_is_a_recipe_for_each() -> None:
    assert set(RECIPES) == {"Add a rule", "Add a target", "Add a back end", "Change a template"}


@pytest.mark.parametrize("heading", RECIPES)
def test_recipe(heading: str, copy: Path) -> None:
    assert Follower(copy, copy).follow(RECIPES[heading]) == []


def test_rules_of_both_kinds_are_shown() -> None:
    shown = "".join(block.text for block in blocks(RECIPES["Add a rule"]))
    assert all(f"@{kind}_rule(" in shown for kind in ("exchange", "schedule"))


def test_the_paths_are_there() -> None:
    made = {block.path for block in blocks(TEXT)}
    prose = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    paths = set(re.findall(r"`((?:a2agen|tests|docs|specs|generated|benchmarks|scripts)/[\w./-]*)`", prose))
    assert paths
    assert [p for p in sorted(paths - made) if not (ROOT / p).exists()] == []
