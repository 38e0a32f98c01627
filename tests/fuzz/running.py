"""Simulates a schedule in given setups, by the engine of its back end."""

from __future__ import annotations

from collections.abc import Sequence

from a2agen.engines.ascendc.build import built
from a2agen.engines.ascendc.memories import machine_of
from a2agen.engines.ascendc.run import Job, sources_of
from a2agen.engines.ascendc.run import search as search_built
from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import exchange_of, program_of
from a2agen.engines.cpu.simulation import Outcome, search
from a2agen.engines.setups import Setup
from a2agen.ir.model import Schedule
from a2agen.passes.check import Checked


def program(checked: Checked, schedule: Schedule) -> Program | Job:
    """What an engine runs of a schedule that can be emitted; a kernel in Ascend C is compiled, which takes seconds."""
    if schedule.emit == "ascendc":
        compiled = built(sources_of(checked, schedule))
        return Job(compiled, exchange_of(schedule), machine_of(schedule.target), schedule)
    return program_of(checked, schedule)


def run(made: Program | Job, setups: Sequence[Setup], *, launches: int, interleavings: int, seed: int) -> Outcome:
    if isinstance(made, Job):
        return search_built(made, setups, launches=launches, interleavings=interleavings, seed=seed, checked=True)
    return search(made, setups, launches=launches, interleavings=interleavings, seed=seed)
