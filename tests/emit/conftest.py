"""Emitted files of many schedules, made once."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

from a2agen.emit.compile import schedule_files
from a2agen.emit.triton_dist import backend
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.source import Source
from tests.passes.lower import matrix

SPECS = Path(__file__).parents[2] / "specs"


@dataclass(frozen=True)
class Emitted:
    """The files of a schedule, by name."""

    schedule: Schedule
    files: dict[str, str]

    @property
    def kernel(self) -> ast.FunctionDef:
        """The function of the only kernel."""
        (kernel,) = self.kernels
        return kernel

    @property
    def kernels(self) -> list[ast.FunctionDef]:
        """The functions of the kernels, in the order of their launches."""
        tree = ast.parse(self.files["kernel.py"])
        return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def emit(text: str, path: str = "specs/swap.a2a", name: str | None = None) -> Emitted:
    """The files of a spec's only schedule, or of the one so named."""
    source = Source(path, text)
    schedule = next(s for s in check(source).schedules if name in (None, s.name))
    return Emitted(schedule, schedule_files(schedule, source))


@pytest.fixture(scope="session")
def shipped() -> dict[str, Emitted]:
    """The shipped specs' schedules in Triton-Distributed, by exchange and name."""
    return shipped_by("triton_dist")


def shipped_by(backend_name: str) -> dict[str, Emitted]:
    """The shipped specs' schedules that a back end emits, by exchange and name."""
    found = {}
    for path in sorted(SPECS.glob("*.a2a")):
        source = Source(f"specs/{path.name}", path.read_text(encoding="utf-8"))
        for schedule in check(source).schedules:
            if schedule.emit == backend_name:
                files = schedule_files(schedule, source)
                found[f"{schedule.exchange.name}/{schedule.name}"] = Emitted(schedule, files)
    return found


@pytest.fixture(scope="session")
def every() -> dict[str, Emitted]:
    """All sound combinations of what the language says of synchronisation, as the templates print them, unformatted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "format_python", lambda text, name: text)
        source = Source("specs/swap.a2a", matrix.EXCHANGE)
        return {name: Emitted(s, schedule_files(s, source)) for name, s in matrix.sound().items()}
