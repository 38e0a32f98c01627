"""Runs the lowered form of a kernel on the CPU, all ranks and cores as threads, and compares with the reference."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from math import prod
from pathlib import Path

from a2agen.emit.triton_dist.backend import kernel_text
from a2agen.emit.triton_dist.kernel import arguments
from a2agen.engines.ascend_ir.build import job
from a2agen.engines.ascend_ir.compilers import Compilers, Job
from a2agen.engines.cpu.program import Exchange, Tensor
from a2agen.engines.cpu.reference import Reference
from a2agen.ir.expr import Const, substitute
from a2agen.ir.model import Schedule, Storage
from a2agen.ir.plan import Clear, HostBarrier, Launch, Plan
from a2agen.passes.lower import lower
from a2agen.passes.words import word_count
from a2agen.source import Source

SECONDS = 60.0
"""How long a kernel may run before it counts as hanging."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A run in one shape. `error` says in words what is wrong, None where all outputs are right."""

    values: dict[str, int]
    cores: int
    launches: int
    seconds: float
    error: str | None


def execute(
    schedule: Schedule,
    source: Source,
    values: dict[str, int],
    compilers: Compilers,
    *,
    cores: int,
    launches: int = 3,
    kernel: str | None = None,
    seconds: float = SECONDS,
) -> Execution:
    """Run the kernel of a sound schedule, or a text in place of it, `launches` times in a row."""
    plan = lower(schedule)
    started = time.monotonic()
    # The chip does not matter this far: the passes behind it are not those of a chip.
    task = job(plan, kernel_text(plan, source) if kernel is None else kernel, schedule.target.chips[0], "cpu")
    with tempfile.TemporaryDirectory(prefix="a2agen-") as folder:
        error = _run(plan, task, values, compilers, cores, launches, Path(folder), seconds)
    return Execution(values, cores, launches, time.monotonic() - started, error)


def _run(
    plan: Plan,
    task: Job,
    values: dict[str, int],
    compilers: Compilers,
    cores: int,
    launches: int,
    folder: Path,
    seconds: float,
) -> str | None:
    exchange = plan.schedule.exchange
    ranks = values[exchange.ranks]
    shape = Exchange(exchange.ranks, exchange.dims, _tensor(exchange.source), _tensor(exchange.result))
    reference = Reference(shape, values)
    for launch in range(launches):
        for rank in range(ranks):
            (folder / f"in-{launch}-{rank}").write_bytes(reference.source(launch, rank).tobytes())
    request = {
        "ranks": ranks,
        "cores": cores,
        "launches": launches,
        "host": [_host(op) for op in plan.host if isinstance(op, Clear | HostBarrier | Launch)],
        "folder": str(folder),
        "arguments": _arguments(plan, values, cores),
        "name": plan.kernel.name,
        "seconds": seconds,
    }
    answer = compilers.compile(task, request)
    if answer.error is not None:
        return f"{answer.stage}: {answer.error}"
    for launch in range(launches):
        for rank in range(ranks):
            wanted = reference.result(launch, rank).tobytes()
            if (folder / f"out-{launch}-{rank}").read_bytes() != wanted:
                return f"launch {launch}: the output of rank {rank} is wrong"
    return None


def _arguments(plan: Plan, values: dict[str, int], cores: int) -> list[dict[str, object]]:
    """What the kernel is called with, in order. Strides of a strided tensor are not among it."""
    constants = {name: Const(value) for name, value in plan.constants}
    known = {**values, "cores": cores}
    stride = plan.schedule.target.signal_stride_bytes
    memories: dict[str, tuple[int, str]] = {}
    for memory in plan.memories:
        elements = prod(substitute(extent, constants).evaluate(known) for extent in memory.shape)
        size = elements * plan.schedule.storage(memory.name).element_bytes
        memories[memory.name] = (size, memory.kind)
    for region in plan.words:
        memories[region.name] = (word_count(region).evaluate(known) * stride, "clear" if region.cleared else "words")
    memories["epochs"] = (cores * stride, "words")
    found: list[dict[str, object]] = []
    for argument in arguments(plan):
        if argument.name in memories:
            size, role = memories[argument.name]
            found.append({"kind": "memory", "value": size, "role": role})
        else:
            role = "rank" if argument.name == "rank" else "value"
            found.append({"kind": "i32", "value": values.get(argument.name, 0), "role": role})
    return found


def _host(op: object) -> str:
    return {Clear: "clear", HostBarrier: "barrier", Launch: "launch"}[type(op)]


def _tensor(storage: Storage) -> Tensor:
    return Tensor(storage.name, storage.dtype, storage.layout.factors, storage.strided)
