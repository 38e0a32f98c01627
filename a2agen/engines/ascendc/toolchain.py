"""The compilers of this machine, and what to do where one is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache

STANDARD = "-std=c++17"


class ToolError(Exception):
    """A tool that is not there, or does not work; the text says what to do about it."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler by its path, and what it says of its version."""

    path: str
    version: str


def compiler() -> Compiler:
    """The C++ compiler: that of the environment variable CXX, else g++, else c++.

    Raises ToolError where there is none.
    """
    return _compiler(os.environ.get("CXX", ""))


@lru_cache
def _compiler(wanted: str) -> Compiler:
    names = (wanted,) if wanted else ("g++", "c++")
    path = next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        raise ToolError(
            f"Ascend C kernels are run by a C++ compiler, and there is no {' or '.join(names)}; "
            "run: apt-get install g++, or name one by CXX"
        )
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ToolError(f"{path} --version fails; run: apt-get install g++, or name another by CXX")
    return Compiler(path, done.stdout.splitlines()[0] if done.stdout else "")
