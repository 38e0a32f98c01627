"""The compilers, as `make test-ascend` has set them up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from a2agen.engines.ascend_ir import environment
from a2agen.engines.ascend_ir.compilers import Compilers
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.source import Source

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="session")
def compilers() -> Iterator[Compilers]:
    with Compilers(environment.find()) as service:
        yield service


def of_specs() -> list[tuple[Schedule, Source]]:
    """Every schedule of the specs that is for Ascend, in Triton."""
    found = []
    for path in sorted(SPECS.glob("*.a2a")):
        source = Source(str(path), path.read_text(encoding="utf-8"))
        found += [
            (s, source) for s in check(source).schedules if s.target.vendor == "ascend" and s.emit == "triton_dist"
        ]
    return found


def schedule_of(text: str) -> tuple[Schedule, Source]:
    """The only schedule of a spec without faults."""
    source = Source("spec.a2a", text)
    checked = check(source)
    assert not [f for f in checked.findings if f.severity.value == "error"], checked.findings
    return checked.schedules[0], source


def name_of(case: tuple[Schedule, Source]) -> str:
    return f"{case[0].exchange.name}-{case[0].name}"
