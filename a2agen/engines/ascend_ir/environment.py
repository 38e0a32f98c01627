"""The environment that the compilers run in: a virtual environment apart, since triton-ascend takes the place of
triton, and has wheels for few Pythons."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PINS = (
    "triton-ascend==3.2.0",
    "ascendnpu-ir==1.2.0",
    "pybind11==3.1.0",  # triton-ascend imports it and does not name it
    "numpy==2.3.5",
    "llvmlite==0.50.0",
)
"""What is installed. Both compilers have wheels for Python 3.10 and 3.11 alone."""

PYTHONS = ("3.11", "3.10")
FOLDER = ".venv-ascend"
VARIABLE = "A2AGEN_ASCEND_VENV"
SET_UP = "a2agen build --setup"
_STAMP = "a2agen-stamp.json"
_PROBE = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"


class SetupError(Exception):
    """The compilers are not there; the text says so and names the command that installs them."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment in a folder, complete."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def compilers(self) -> Path:
        """The folder of bishengir-compile and bishengir-opt."""
        return next(self.folder.glob("lib/python3.*/site-packages/ascendnpuir/bin"))


def folder() -> Path:
    """Where the environment is or will be: $A2AGEN_ASCEND_VENV, or .venv-ascend in the current folder."""
    return Path(os.environ.get(VARIABLE) or FOLDER).absolute()


def find() -> Environment:
    """The environment; raises SetupError where it is not there or not what this version needs."""
    where = folder()
    try:
        stamp = json.loads((where / _STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise SetupError(
            f"the engine ascend-ir needs {', '.join(PINS[:2])} in an environment of its own, and {where} is none; "
            f"run: {SET_UP}"
        ) from None
    if stamp != _stamp() or not (where / "bin" / "python").exists():
        raise SetupError(f"{where} does not hold what this version of a2agen needs; run: {SET_UP}")
    return Environment(where)


def set_up(say: Callable[[str], None]) -> Environment:
    """Make the environment unless it is there, and return it; `say` is told of each step.

    Raises SetupError where no Python fits or pip fails. Runs at the same time wait for each other.
    """
    where = folder()
    where.parent.mkdir(parents=True, exist_ok=True)
    with open(where.with_name(where.name + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return find()
        except SetupError:
            _install(where, say)
    return find()


def _install(where: Path, say: Callable[[str], None]) -> None:
    python = _interpreter()
    say(f"setting up {where} with {python}")
    if where.exists() and any(where.iterdir()) and not (where / "pyvenv.cfg").exists():
        raise SetupError(f"{where} is no virtual environment; name another folder in {VARIABLE}")
    _call([python, "-m", "venv", "--clear", str(where)], "the virtual environment could not be made")
    say(f"installing {' '.join(PINS)}")
    pip = [str(where / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-input"]
    _call([*pip, *PINS], "pip could not install the compilers")
    (where / _STAMP).write_text(json.dumps(_stamp()), encoding="utf-8")


def _call(command: list[str], failure: str) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise SetupError(f"{failure}: {last}; then run again: {SET_UP}")


def _stamp() -> dict[str, object]:
    return {"pins": list(PINS)}


def _interpreter() -> str:
    """A Python that both compilers have wheels for."""
    for candidate in _candidates():
        done = subprocess.run([candidate, "-c", _PROBE], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() in PYTHONS:
            return candidate
    raise SetupError(
        f"triton-ascend has wheels for Python {' and '.join(PYTHONS)} alone, and neither is on PATH with its venv "
        f"module; install one (apt-get install python3.11-venv), then run: {SET_UP}"
    )


def _candidates() -> Iterator[str]:
    # The interpreter itself, should this run by the one of an environment.
    yield getattr(sys, "_base_executable", sys.executable)
    for version in PYTHONS:
        found = shutil.which(f"python{version}")
        if found is not None:
            yield found
