"""Runs schedules on threads under a sanitizer, results compared with the reference."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from a2agen.engines.ascendc import sanitize
from a2agen.engines.ascendc.build import ADDRESSES, THREADS, built
from a2agen.engines.ascendc.data import differences, host_arguments, input_files
from a2agen.engines.ascendc.run import refused, sources_of
from a2agen.engines.cpu.errors import KernelError
from a2agen.engines.cpu.findings import Collector
from a2agen.engines.cpu.run import exchange_of
from a2agen.engines.cpu.simulation import Outcome, Ran
from a2agen.engines.setups import Setup
from a2agen.engines.small import small_cores
from a2agen.ir.model import Schedule

if TYPE_CHECKING:
    from a2agen.passes.check import Checked

SANITIZERS = {"thread": THREADS, "address": ADDRESSES}


def run_sanitized(
    checked: Checked,
    schedule: Schedule,
    values: dict[str, int],
    *,
    sanitizer: str,
    launches: int,
    interleavings: int,
    seed: int,
) -> Outcome:
    """Run a schedule `interleavings` times under a sanitizer, "thread" or "address", with few cores.

    A seed gives delays, not the order of the threads: a run is not the same again. Raises ToolError without a C++
    compiler.
    """
    begun = time.perf_counter()
    exchange = exchange_of(schedule)
    ranks = values[exchange.ranks]
    setup = Setup(values, small_cores(schedule, ranks))
    found = Collector()
    found.shape, found.cores = values, setup.cores or 0
    wrong = 0
    try:
        program = built(sources_of(checked, schedule), SANITIZERS[sanitizer])
        with tempfile.TemporaryDirectory(prefix="a2agen-") as name:
            folder = Path(name)
            input_files(exchange, setup, launches, folder)
            arguments = host_arguments(exchange, setup, launches, folder)
            for found.seed in range(seed, seed + interleavings):
                verdict = sanitize.run(program, folder, ranks=ranks, seed=found.seed, arguments=arguments)
                line = verdict.lines[0] if verdict.lines else None
                for report in verdict.reports:
                    found.add(f"{sanitizer}-sanitizer", report, None, None, line, report)
                at_fault = next(differences(exchange, setup, launches, folder), None) if verdict.complete else None
                if at_fault is not None:
                    wrong += 1
                    found.add("wrong-output", at_fault)
    except KernelError as failure:
        return refused(str(failure), launches, time.perf_counter() - begun)
    return Outcome(
        verified=not found.all(),
        launches=launches,
        interleavings=interleavings,
        wrong=wrong,
        deadlocks=0,
        findings=found.all(),
        error=None,
        seconds=time.perf_counter() - begun,
        operations=0,
        switches=0,
        shapes=(Ran(values, setup.cores or 0, interleavings),),
    )
