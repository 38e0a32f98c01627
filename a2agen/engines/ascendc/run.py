"""Runs schedules whose kernels are Ascend C: compiled with the engine, launched as their host programs launch them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from a2agen.emit.compile import schedule_files
from a2agen.engines.ascendc.build import Sources, built
from a2agen.engines.ascendc.data import differences, host_arguments, input_files
from a2agen.engines.ascendc.findings import Collected
from a2agen.engines.ascendc.memories import machine_of, memories_of, operations_most
from a2agen.engines.ascendc.process import Machine, Memory, Report, run
from a2agen.engines.cpu.errors import KernelError
from a2agen.engines.cpu.program import Exchange
from a2agen.engines.cpu.run import exchange_of
from a2agen.engines.cpu.simulation import Outcome, Ran
from a2agen.engines.setups import Setup, turn
from a2agen.engines.small import small_cores, small_setups
from a2agen.ir.model import Schedule
from a2agen.passes import analysis

if TYPE_CHECKING:
    from a2agen.passes.check import Checked


@dataclass(frozen=True, slots=True)
class Job:
    """A program to run, what it exchanges, and what a machine is taken to have; memories are for messages."""

    program: Path
    exchange: Exchange
    machine: Machine
    schedule: Schedule | None = None

    def memories(self, values: dict[str, int], cores: int) -> tuple[Memory, ...]:
        return memories_of(self.schedule, values, cores) if self.schedule is not None else ()

    def operations_most(self, values: dict[str, int], launches: int) -> int:
        return operations_most(self.schedule, values, launches) if self.schedule is not None else 0


def sources_of(checked: Checked, schedule: Schedule, kernel: Path | None = None) -> Sources:
    """The emitted texts of a schedule; `kernel` replaces the emitted kernel by a file.

    Raises OSError or UnicodeDecodeError where the file cannot be read.
    """
    files = schedule_files(schedule, checked.source)
    folder = f"{schedule.exchange.name}/{schedule.name}"
    return Sources(
        kernel=files["kernel.cpp"] if kernel is None else kernel.read_text(encoding="utf-8"),
        kernel_path=f"{folder}/kernel.cpp" if kernel is None else str(kernel),
        host=files["host.cpp"],
        host_path=f"{folder}/host.cpp",
    )


def run_schedule(
    checked: Checked, schedule: Schedule, values: dict[str, int], *, launches: int, interleavings: int, seed: int
) -> Outcome:
    """Run a schedule with all its cores, and compare the results bit for bit.

    Without happens-before checks: those are for `simulate`, which takes small shapes. Raises ToolError without a C++
    compiler, as does `simulate`.
    """
    setups = (Setup(values, analysis.launch_cores(schedule)),)
    return _search(checked, schedule, None, setups, launches, interleavings, seed, checks=False)


def simulate(
    checked: Checked,
    schedule: Schedule,
    values: dict[str, int] | None,
    *,
    kernel: Path | None = None,
    cores: int | None = None,
    launches: int = 3,
    interleavings: int = 50,
    seed: int = 0,
) -> Outcome:
    """Search the interleavings of a schedule's kernel, with all checks; without `values` in several small shapes."""
    if values is None:
        setups = small_setups(schedule, cores)
    else:
        setups = (Setup(values, cores or small_cores(schedule, values[schedule.exchange.ranks])),)
    return _search(checked, schedule, kernel, setups, launches, interleavings, seed, checks=True)


def _search(
    checked: Checked,
    schedule: Schedule,
    kernel: Path | None,
    setups: Sequence[Setup],
    launches: int,
    interleavings: int,
    seed: int,
    *,
    checks: bool,
) -> Outcome:
    begun = time.perf_counter()
    try:
        program = built(sources_of(checked, schedule, kernel))
    except KernelError as failure:
        return refused(str(failure), launches, time.perf_counter() - begun)
    job = Job(program, exchange_of(schedule), machine_of(schedule.target), schedule)
    return search(job, setups, launches=launches, interleavings=interleavings, seed=seed, checked=checks)


def search(
    job: Job,
    setups: Sequence[Setup],
    *,
    launches: int = 3,
    interleavings: int = 1,
    seed: int = 0,
    checked: bool = True,
) -> Outcome:
    """Run a program in several setups, the interleavings spread over them as `turn` says.

    Interleaving i has the seed `seed` + i, which alone repeats it. Every setup names its cores.
    """
    begun = time.perf_counter()
    found = Collected()
    wrong = deadlocks = operations = switches = done = 0
    error = None
    counts = [0] * len(setups)
    with tempfile.TemporaryDirectory(prefix="a2agen-") as name:
        data = [_Data(job, setup, launches, Path(name) / str(which)) for which, setup in enumerate(setups)]
        try:
            for number in range(seed, seed + interleavings):
                which = turn(number, len(setups))
                report, at_fault = data[which].once(number, checked)
                found.add(report, at_fault, number, setups[which])
                wrong += bool(at_fault)
                deadlocks += any(f.kind == "deadlock" for f in report.findings)
                operations += report.operations
                switches += report.switches
                counts[which] += 1
                done += 1
        except KernelError as failure:
            error = str(failure)
    return Outcome(
        verified=error is None and not (wrong or deadlocks or found.all()),
        launches=launches,
        interleavings=done,
        wrong=wrong,
        deadlocks=deadlocks,
        findings=found.all(),
        error=error,
        seconds=time.perf_counter() - begun,
        operations=operations,
        switches=switches,
        shapes=tuple(Ran(s.values, s.cores or 0, n) for s, n in zip(setups, counts, strict=True) if n),
    )


def refused(error: str, launches: int, seconds: float) -> Outcome:
    return Outcome(
        verified=False, launches=launches, interleavings=0, wrong=0, deadlocks=0, findings=(), error=error,
        seconds=seconds, operations=0, switches=0,
    )  # fmt: skip


class _Data:
    """The inputs of a setup in files, made when it first runs, and its results compared."""

    def __init__(self, job: Job, setup: Setup, launches: int, folder: Path) -> None:
        assert setup.cores is not None
        self._job = job
        self._setup = setup
        self._cores = setup.cores
        self._launches = launches
        self._folder = folder
        self._ranks = setup.values[job.exchange.ranks]
        self._memories: tuple[Memory, ...] = ()

    def once(self, seed: int, checked: bool) -> tuple[Report, str | None]:
        """Run one interleaving: its report, and where a result differs from the reference, None where none does."""
        if not self._folder.exists():
            self._folder.mkdir()
            self._memories = self._job.memories(self._setup.values, self._cores)
            input_files(self._job.exchange, self._setup, self._launches, self._folder)
        report = run(
            self._job.program,
            self._folder,
            ranks=self._ranks,
            seed=seed,
            checked=checked,
            arguments=host_arguments(self._job.exchange, self._setup, self._launches, self._folder),
            memories=self._memories,
            machine=self._job.machine,
            operations_most=self._job.operations_most(self._setup.values, self._launches),
        )
        if not report.complete:
            return report, None
        if any(code not in (0, 1) for code in report.exits):
            raise KernelError(f"the host program returns {max(report.exits)}: {report.said or 'it says nothing'}")
        at_fault = next(differences(self._job.exchange, self._setup, self._launches, self._folder), None)
        if at_fault is None and any(report.exits):
            return report, f"the host program says that its result is wrong: {report.said}"
        return report, at_fault
