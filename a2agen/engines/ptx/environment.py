"""The environment that Triton runs in: apart, since its wheel is large and no other engine without a GPU needs it."""

from __future__ import annotations

from pathlib import Path

from a2agen.engines import venvs
from a2agen.engines.venvs import Recipe
from a2agen.engines.venvs import SetupError as SetupError  # noqa: PLC0414  # what `find` and `set_up` raise

PINS = ("triton==3.6.0",)
"""What is installed: its wheel brings ptxas, cuobjdump and nvdisasm of CUDA, and wants no torch."""

VARIABLE = "A2AGEN_NVIDIA_VENV"
SET_UP = "a2agen build --engine ptx --setup"
PYTHONS = ("3.11", "3.12", "3.13", "3.10", "3.14")
RECIPE = Recipe("ptx", PINS, PINS, PYTHONS, ".venv-nvidia", VARIABLE, SET_UP)


class Environment(venvs.Environment):
    """The environment in a folder, complete."""

    recipe = RECIPE

    @property
    def headers(self) -> Path:
        """The folder of CUDA's headers that Triton brings."""
        return self.package("triton/backends/nvidia/include")


find = Environment.find
set_up = Environment.set_up
