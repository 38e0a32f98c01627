"""The environment that the compilers run in: a virtual environment apart, since triton-ascend takes the place of
triton, and has wheels for few Pythons."""

from __future__ import annotations

from pathlib import Path

from a2agen.engines import venvs
from a2agen.engines.venvs import Recipe
from a2agen.engines.venvs import SetupError as SetupError  # noqa: PLC0414  # what `find` and `set_up` raise

PINS = (
    "triton-ascend==3.2.0",
    "ascendnpu-ir==1.2.0",
    "pybind11==3.1.0",  # triton-ascend imports it and does not name it
    "numpy==2.3.5",
    "llvmlite==0.50.0",
)
"""What is installed. Both compilers have wheels for Python 3.10 and 3.11 alone."""

VARIABLE = "A2AGEN_ASCEND_VENV"
SET_UP = "a2agen build --setup"
RECIPE = Recipe("ascend-ir", PINS, PINS[:2], ("3.11", "3.10"), ".venv-ascend", VARIABLE, SET_UP)


class Environment(venvs.Environment):
    """The environment in a folder, complete."""

    recipe = RECIPE

    @property
    def compilers(self) -> Path:
        """The folder of bishengir-compile and bishengir-opt."""
        return self.package("ascendnpuir/bin")


find = Environment.find
set_up = Environment.set_up
