"""Whole specs: the good ones are clean, the bad ones have the faults that they say, where they say, and no other.

A bad spec begins with `# expect: family N, …`, and `# <-- here` marks every line with a finding.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from a2agen.findings import Severity, fails
from a2agen.passes.check import Checked, check
from a2agen.source import Source

HERE = Path(__file__).parent
GOOD = sorted((HERE / "good").glob("*.a2a"))
BAD = sorted((HERE / "bad").glob("*.a2a"))


def checked(path: Path) -> Checked:
    return check(Source(path.name, path.read_text(encoding="utf-8")))


def test_there_are_cases() -> None:
    assert len(GOOD) >= 6
    assert len(BAD) >= 18


@pytest.mark.parametrize("path", GOOD, ids=lambda p: p.stem)
def test_good_cases_are_clean(path: Path) -> None:
    made = checked(path)
    assert not fails(made.findings), made.findings
    assert made.exchanges
    assert made.schedules
    assert all(made.sound(s) and not s.poisoned for s in made.schedules)


@pytest.mark.parametrize("path", BAD, ids=lambda p: p.stem)
def test_bad_cases_have_their_faults_and_no_others(path: Path) -> None:
    made = checked(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# expect: ")
    expected = set(re.findall(r"family (\d)", lines[0]))
    marked = {n for n, line in enumerate(lines, start=1) if "# <-- here" in line}
    found = [f for f in made.findings if f.severity is not Severity.ADVICE]
    assert {f.code[1] for f in found} == expected
    assert {f.span.line for f in found} == marked
    assert all(f.help for f in found)
    assert not any(made.sound(s) for s in made.schedules)
