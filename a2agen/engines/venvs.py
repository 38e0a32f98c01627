"""Virtual environments of compilers: apart from the project's own, with versions that are pinned."""

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
from typing import ClassVar, TypeVar

_STAMP = "a2agen-stamp.json"
_PROBE = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"


class SetupError(Exception):
    """The compilers are not there; the text says so and names the command that installs them."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the environment of an engine is made: what is installed, and for which Pythons there are wheels.

    `named` are the pins that a message names, `folder` is where it lies unless the environment `variable` says
    another place, and `command` is what the user runs to make it.
    """

    engine: str
    pins: tuple[str, ...]
    named: tuple[str, ...]
    pythons: tuple[str, ...]
    folder: str
    variable: str
    command: str

    def place(self) -> Path:
        """Where the environment is or will be."""
        return Path(os.environ.get(self.variable) or self.folder).absolute()

    def find(self) -> Path:
        """The environment's folder; raises SetupError where it is not there or not what this version needs."""
        where = self.place()
        try:
            stamp = json.loads((where / _STAMP).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise SetupError(
                f"the engine {self.engine} needs {', '.join(self.named)} in an environment of its own, and {where} is "
                f"none; run: {self.command}"
            ) from None
        if stamp != self._stamp() or not (where / "bin" / "python").exists():
            raise SetupError(f"{where} does not hold what this version of a2agen needs; run: {self.command}")
        return where

    def set_up(self, say: Callable[[str], None]) -> Path:
        """Make the environment unless it is there, and return its folder; `say` is told of each step.

        Raises SetupError where no Python fits or pip fails. Runs at the same time wait for each other.
        """
        where = self.place()
        where.parent.mkdir(parents=True, exist_ok=True)
        with open(where.with_name(where.name + ".lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                return self.find()
            except SetupError:
                self._install(where, say)
        return self.find()

    def _install(self, where: Path, say: Callable[[str], None]) -> None:
        python = self._interpreter()
        say(f"setting up {where} with {python}")
        if where.exists() and any(where.iterdir()) and not (where / "pyvenv.cfg").exists():
            raise SetupError(f"{where} is no virtual environment; name another folder in {self.variable}")
        self._call([python, "-m", "venv", "--clear", str(where)], "the virtual environment could not be made")
        say(f"installing {' '.join(self.pins)}")
        pip = [str(where / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        self._call([*pip, "--no-input", *self.pins], "pip could not install the compilers")
        (where / _STAMP).write_text(json.dumps(self._stamp()), encoding="utf-8")

    def _call(self, command: list[str], failure: str) -> None:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
            raise SetupError(f"{failure}: {last}; then run again: {self.command}")

    def _stamp(self) -> dict[str, object]:
        return {"pins": list(self.pins)}

    def _interpreter(self) -> str:
        """A Python that all pins have wheels for."""
        for candidate in self._candidates():
            done = subprocess.run([candidate, "-c", _PROBE], capture_output=True, text=True, check=False)
            if done.returncode == 0 and done.stdout.strip() in self.pythons:
                return candidate
        name = self.named[0].partition("==")[0]
        raise SetupError(
            f"{name} has wheels for Python {' and '.join(self.pythons)} alone, and none of them is on PATH with its "
            f"venv module; install one (apt-get install python{self.pythons[0]}-venv), then run: {self.command}"
        )

    def _candidates(self) -> Iterator[str]:
        # The interpreter itself, should this run by the one of an environment.
        yield getattr(sys, "_base_executable", sys.executable)
        for version in self.pythons:
            found = shutil.which(f"python{version}")
            if found is not None:
                yield found


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment of an engine, complete in a folder; each engine has a class with its own `recipe`."""

    recipe: ClassVar[Recipe]
    folder: Path

    @classmethod
    def find(cls: type[E]) -> E:
        """The environment; raises SetupError where it is not there or not what this version needs."""
        return cls(cls.recipe.find())

    @classmethod
    def set_up(cls: type[E], say: Callable[[str], None]) -> E:
        """Make the environment unless it is there, and return it; `say` is told of each step. Raises SetupError."""
        return cls(cls.recipe.set_up(say))

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def package(self, place: str) -> Path:
        """A folder of a package in it."""
        return next(self.folder.glob(f"lib/python3.*/site-packages/{place}"))


E = TypeVar("E", bound=Environment)
