"""The compilers as a service: a process in their environment, which answers one job after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from a2agen.engines.ascend_ir.environment import Environment
from a2agen.engines.service import EndedError, Service

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


class Compilers(Service):
    """A context in which jobs are answered."""

    def __init__(self, environment: Environment) -> None:
        module = "a2agen.engines.ascend_ir.worker"
        super().__init__(environment.python, module, (str(environment.compilers),))

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
        try:
            return super().ask(request)
        except EndedError as failure:
            return {
                "texts": {},
                "ub_bytes": None,
                "stage": "ttir",
                "error": f"the compilers' process ended: {failure}",
                "seconds": 0.0,
                "cpu_seconds": 0.0,
                "ended": True,
            }
