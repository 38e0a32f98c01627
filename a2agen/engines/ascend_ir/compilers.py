"""The compilers as a service: a process in their environment, which answers one job after the other."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import a2agen
from a2agen.engines.ascend_ir.environment import Environment

StandIn = Literal["stock", "dist", "cpu"]


@dataclass(frozen=True, slots=True)
class Job:
    """A kernel to compile: its module's text, its name, the types of its arguments by name ("*bf16", "i32"), the values
    of its constants, the chip by the name that bishengir-compile has for it, and what stands in for triton_dist."""

    kernel: str
    name: str
    types: Mapping[str, str]
    constants: Mapping[str, int]
    chip: str
    form: StandIn


@dataclass(frozen=True, slots=True)
class Answer:
    """The stages that a kernel came through, by name: `ttir`, `ttadapter`, `operations`, `hivm`.

    `ub_bytes` is the on-chip memory of final HIVM. Where a compiler refuses, `stage` and `error` say which and why.
    It took `seconds` by the clock, and `cpu_seconds` of processors.
    """

    texts: Mapping[str, str]
    ub_bytes: int | None
    stage: str | None
    error: str | None
    seconds: float
    cpu_seconds: float


class Compilers:
    """A context in which jobs are answered."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="a2agen-")

    def __enter__(self) -> Compilers:
        # The environment sees this package and nothing else of where it is installed.
        (Path(self._folder.name) / "a2agen").symlink_to(Path(a2agen.__file__).parent)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._folder.cleanup()

    def compile(self, job: Job, run: dict[str, Any] | None = None) -> Answer:
        """Compile one kernel, for the CPU also run it as the request says."""
        request = {
            "kernel": job.kernel,
            "name": job.name,
            "types": dict(job.types),
            "constants": dict(job.constants),
            "chip": job.chip,
            "form": job.form,
            "run": run,
        }
        answer = self.ask(request)
        return Answer(
            answer["texts"],
            answer["ub_bytes"],
            answer["stage"],
            answer["error"],
            answer["seconds"],
            answer["cpu_seconds"],
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, as the worker gives it. A process that dies of a request is an error of it."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            answer: dict[str, Any] = json.loads(line)
            if answer["ended"]:
                self._stop()
            return answer
        code = process.wait()
        said = process.stderr.read() if process.stderr is not None else ""
        self._stop()
        last = (said.strip().splitlines() or [f"code {code}"])[-1]
        return {
            "texts": {},
            "ub_bytes": None,
            "stage": "ttir",
            "error": f"the compilers' process ended: {last}",
            "seconds": 0.0,
            "cpu_seconds": 0.0,
            "ended": True,
        }

    def _start(self) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment |= {"PYTHONPATH": self._folder.name, "PYTHONDONTWRITEBYTECODE": "1"}
        self._process = subprocess.Popen(
            [
                str(self._environment.python),
                "-m",
                "a2agen.engines.ascend_ir.worker",
                str(self._environment.compilers),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment | {"TRITON_CACHE_DIR": str(Path(self._folder.name) / "cache")},
            cwd=self._folder.name,
        )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait()
