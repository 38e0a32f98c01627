"""Programs that the tests of the engine run: hand-written kernels with their launchers, and small ones in the tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from a2agen.engines.cpu import Exchange, Program, Tensor

HERE = Path(__file__).parent / "handwritten"
Vendor = Literal["ascend", "nvidia"]


def reverse(dims: tuple[str, ...], vendor: Vendor = "ascend", dtype: str = "bf16") -> Exchange:
    """Rows [(to S) …] to [S (from …) …], as the kernels by hand have it: S, D or S, H, D."""
    if dims == ("S", "H", "D"):
        source, result = (("to", "S"), ("H",), ("D",)), (("S",), ("from", "H"), ("D",))
    else:
        source, result = (("to", "S"), ("D",)), (("S",), ("from",), ("D",))
    return Exchange("W", dims, Tensor("A", dtype, source), Tensor("C", dtype, result), vendor)


@dataclass(frozen=True)
class Subject:
    """A program with a shape in which every loop of it runs and tiles have tails."""

    name: str
    program: Program
    shape: dict[str, int]
    cores: int


def program_at(folder: Path, exchange: Exchange) -> Program:
    """The kernel and launcher of a folder."""
    kernel, launcher = (folder / "kernel.py").read_text(), (folder / "launcher.py").read_text()
    return Program(kernel, "kernel.py", launcher, "launcher.py", exchange)


def pipelined() -> Program:
    """Load/store link, a mailbox word a tile."""
    return program_at(HERE, reverse(("S", "H", "D")))


SUBJECTS = (
    Subject("pipelined", pipelined(), {"W": 2, "S": 25, "H": 1, "D": 260}, 4),
    Subject("udma_notify", program_at(HERE / "udma_notify", reverse(("S", "D"))), {"W": 3, "S": 2, "D": 70}, 6),
    Subject("udma_barrier", program_at(HERE / "udma_barrier", reverse(("S", "D"))), {"W": 3, "S": 2, "D": 70}, 3),
    Subject("direct", program_at(HERE / "direct", reverse(("S", "D"), "nvidia")), {"W": 3, "S": 2, "D": 70}, 3),
)
