"""The environment that Triton runs in: apart, since its wheel is large and no other engine without a GPU needs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from a2agen.engines.venvs import Recipe
from a2agen.engines.venvs import SetupError as SetupError  # noqa: PLC0414  # what `find` and `set_up` raise

PINS = ("triton==3.6.0",)
"""What is installed: its wheel brings ptxas, cuobjdump and nvdisasm of CUDA, and wants no torch."""

VARIABLE = "A2AGEN_NVIDIA_VENV"
SET_UP = "a2agen build --engine ptx --setup"
PYTHONS = ("3.11", "3.12", "3.13", "3.10", "3.14")
RECIPE = Recipe("ptx", PINS, PINS, PYTHONS, ".venv-nvidia", VARIABLE, SET_UP)


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment in a folder, complete."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def headers(self) -> Path:
        """The folder of CUDA's headers that Triton brings."""
        return next(self.folder.glob("lib/python3.*/site-packages/triton/backends/nvidia/include"))


def find() -> Environment:
    """The environment; raises SetupError where it is not there or not what this version needs."""
    return Environment(RECIPE.find())


def set_up(say: Callable[[str], None]) -> Environment:
    """Make the environment unless it is there, and return it; `say` is told of each step. Raises SetupError."""
    return Environment(RECIPE.set_up(say))
