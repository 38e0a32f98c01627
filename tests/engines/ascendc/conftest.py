"""The hand-written kernel and its host program, as they are or with something taken out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from a2agen.engines.ascendc.build import Sources, built
from a2agen.engines.ascendc.process import Machine, Memory
from a2agen.engines.ascendc.run import Job, search
from a2agen.engines.ascendc.toolchain import ToolError, compiler
from a2agen.engines.cpu.program import Exchange, Tensor
from a2agen.engines.cpu.simulation import Outcome
from a2agen.engines.setups import Setup

HANDWRITTEN = Path(__file__).parent / "handwritten"
SWAP = Exchange(
    "W", ("S", "D"), Tensor("A", "bf16", (("to", "S"), ("D",))), Tensor("C", "bf16", (("from", "S"), ("D",)))
)
VALUES = {"W": 3, "S": 13, "D": 120}
CORES = 8
Edit = tuple[str, str]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of this folder need a C++ compiler."""
    try:
        compiler()
    except ToolError as missing:
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=str(missing)))


class NamedJob(Job):
    """A job whose memories have names and axes without a schedule."""

    def memories(self, values: dict[str, int], cores: int) -> tuple[Memory, ...]:
        axes = (("half", 2), ("from", values["W"]))
        return (Memory("P", 2, (*axes, ("S", values["S"]), ("D", values["D"]))), Memory("full", 64, axes))


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    """The text with each first part replaced by the second, once."""
    for old, new in edits:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    return text


@pytest.fixture(scope="session")
def swap() -> Callable[..., Outcome]:
    """Runs the hand-written exchange: edits of the kernel, then of the host program."""

    def run(
        *edits: Edit,
        host: tuple[Edit, ...] = (),
        interleavings: int = 6,
        launches: int = 3,
        seed: int = 0,
        values: dict[str, int] | None = None,
        cores: int = CORES,
        checked: bool = True,
        machine: Machine | None = None,
    ) -> Outcome:
        kernel = edited((HANDWRITTEN / "kernel.cpp").read_text(encoding="utf-8"), edits)
        program = edited((HANDWRITTEN / "host.cpp").read_text(encoding="utf-8"), host)
        job = NamedJob(built(Sources(kernel, "kernel.cpp", program, "host.cpp")), SWAP, machine or Machine())
        setups = (Setup(values or VALUES, cores),)
        return search(job, setups, launches=launches, interleavings=interleavings, seed=seed, checked=checked)

    return run
