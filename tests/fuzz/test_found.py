"""Specs that random ones boiled down to, each once a fault of lint, lowering or emission."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.judge import judge

FOUND = sorted((Path(__file__).parent / "found").glob("*.a2a"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_no_fault(path: Path) -> None:
    judged = judge(path, interleavings=3)
    assert judged.faults == []
    assert judged.clean
    assert judged.simulated or judged.refused
