"""Triton, as `make test-nvidia` has set it up, and what it makes of the kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from a2agen.emit.triton_dist.backend import kernel_text
from a2agen.engines.ptx import environment
from a2agen.engines.ptx.build import Built, job, judged
from a2agen.engines.ptx.compilers import Answer, Compilers
from a2agen.engines.ptx.shapes import Shape, shapes
from a2agen.ir.model import Schedule
from a2agen.ir.plan import Kernel, Plan
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.source import Source

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture(scope="session")
def compilers() -> Iterator[Compilers]:
    with Compilers(environment.find()) as service:
        yield service


@dataclass(frozen=True, slots=True)
class Subject:
    """A kernel of a plan for a shape, and its module's text."""

    plan: Plan
    kernel: Kernel
    shape: Shape
    text: str

    def compile(self, compilers: Compilers, text: str | None = None) -> Answer:
        """What becomes of the kernel, or of another text in its place."""
        return compilers.compile(job(self.plan, self.kernel, self.shape, text or self.text))

    def judged(self, answer: Answer) -> Built:
        return judged(self.plan, self.kernel, self.shape, answer)


def of_specs() -> list[tuple[Schedule, Source]]:
    """Every schedule of the specs that is for NVIDIA."""
    found = []
    for path in sorted(SPECS.glob("*.a2a")):
        source = Source(str(path), path.read_text(encoding="utf-8"))
        found += [
            (s, source) for s in check(source).schedules if s.target.vendor == "nvidia" and s.emit == "triton_dist"
        ]
    return found


def subjects(schedule: Schedule, source: Source) -> list[Subject]:
    """The kernels of a schedule, each for the first of its shapes."""
    plan = lower(schedule)
    text = kernel_text(plan, source)
    return [Subject(plan, kernel, shapes(plan)[0], text) for kernel in plan.kernels]
