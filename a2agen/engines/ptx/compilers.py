"""Triton as a service: a process in its environment, which answers one job after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from a2agen.engines.ptx.environment import Environment
from a2agen.engines.service import EndedError, Service


@dataclass(frozen=True, slots=True)
class Job:
    """A kernel to compile as a launch would: its module's text, its name, and what the launch hands over.

    `arguments` are in the order of the kernel's, the number of an extent or torch's name of a tensor's type; `options`
    are what a launch names: constants, and the number of warps where it is not Triton's own.
    """

    kernel: str
    name: str
    arguments: tuple[int | str, ...]
    options: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a job.

    `parameters` are the names of those arguments that the compiled kernel takes, in order: an extent of 1 is none.
    `ptx` and `sass` are texts, `warps` those of a program, `registers` those of a thread; `stack_bytes` and
    `local_bytes` are of a thread, `shared_bytes` of a program, `code_bytes` the machine code alone. Where the compiler
    refuses, `error` says why, and the rest is empty.
    """

    parameters: tuple[str, ...]
    ptx: str
    sass: str
    warps: int
    registers: int
    stack_bytes: int
    local_bytes: int
    shared_bytes: int
    code_bytes: int
    error: str | None
    seconds: float


REFUSED = Answer((), "", "", 0, 0, 0, 0, 0, 0, "", 0.0)


class Compilers(Service):
    """A context in which jobs are answered."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment.python, "a2agen.engines.ptx.worker")

    def compile(self, job: Job) -> Answer:
        """Compile one kernel for sm_90. A process that dies of a job is an error of it."""
        request = {
            "kernel": job.kernel,
            "name": job.name,
            "arguments": list(job.arguments),
            "options": dict(job.options),
        }
        try:
            answer = self.ask(request)
        except EndedError as failure:
            answer = {"error": f"the compiler's process ended: {failure}", "seconds": 0.0}
        known = {name: getattr(REFUSED, name) for name in Answer.__slots__} | answer
        return Answer(**{**known, "parameters": tuple(known["parameters"])})
