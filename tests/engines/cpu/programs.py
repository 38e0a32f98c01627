"""Programs that the tests of the engine run: hand-written kernels with their launchers."""

from __future__ import annotations

from pathlib import Path

from a2agen.engines.cpu import Exchange, Program, Tensor

HERE = Path(__file__).parent / "handwritten"

REVERSE = Exchange(
    "W",
    ("S", "H", "D"),
    Tensor("A", "bf16", (("to", "S"), ("H",), ("D",))),
    Tensor("C", "bf16", (("S",), ("from", "H"), ("D",))),
)


def pipelined() -> Program:
    """Load/store link, a mailbox word a tile."""
    return Program(
        (HERE / "kernel.py").read_text(), "kernel.py", (HERE / "launcher.py").read_text(), "launcher.py", REVERSE
    )
