"""Runs schedules on the CPU engine: a schedule's own kernel and launcher, or a kernel that somebody edited."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from a2agen.emit.compile import schedule_files
from a2agen.engines.cpu.findings import SimFinding
from a2agen.engines.cpu.program import Axes, Exchange, Program, Tensor
from a2agen.engines.cpu.simulation import Outcome, Ran, search
from a2agen.engines.cpu.simulation import simulate as run_program
from a2agen.engines.setups import Setup
from a2agen.engines.small import role_without_core, small_cores, small_setups, small_shape, small_tile
from a2agen.ir.model import Schedule, Storage
from a2agen.passes import analysis, words
from a2agen.passes.ways import link_of

if TYPE_CHECKING:
    from a2agen.passes.check import Checked

WORD_BYTES = HASH_BYTES = 8

__all__ = [
    "Outcome",
    "Ran",
    "SimFinding",
    "exchange_of",
    "memory_needed",
    "program_of",
    "run_schedule",
    "simulate",
    "too_few_cores",
    "too_many_cores",
]


def program_of(checked: Checked, schedule: Schedule, kernel: Path | None = None) -> Program:
    """What the engine runs of a schedule that can be emitted; `kernel` replaces the emitted kernel by a file.

    Raises OSError or UnicodeDecodeError where the file cannot be read.
    """
    files = schedule_files(schedule, checked.source)
    exchange = schedule.exchange
    folder = f"{exchange.name}/{schedule.declared}"
    return Program(
        kernel=files["kernel.py"] if kernel is None else kernel.read_text(encoding="utf-8"),
        kernel_path=f"{folder}/kernel.py" if kernel is None else str(kernel),
        launcher=files["launcher.py"],
        launcher_path=f"{folder}/launcher.py",
        exchange=exchange_of(schedule),
        axes=_axes(schedule),
        link=None if schedule.auto is None else link_of(schedule).name,
        several_nodes=analysis.several_nodes(schedule),
        emitted=None if kernel is None else files["kernel.py"],
    )


def exchange_of(schedule: Schedule) -> Exchange:
    """What a schedule's kernel is to exchange."""
    exchange = schedule.exchange
    source, result = _tensor(exchange.source), _tensor(exchange.result)
    return Exchange(exchange.ranks, exchange.dims, source, result, schedule.target.vendor)


def run_schedule(
    checked: Checked,
    schedule: Schedule,
    values: dict[str, int],
    *,
    launches: int,
    interleavings: int,
    seed: int,
    then: tuple[dict[str, int], ...] = (),
) -> Outcome:
    """Run a schedule as its launcher launches it, with all its cores, and compare the results bit for bit.

    Without happens-before checks: those are for `simulate`, which takes small shapes. `then` as in `Setup`: the extents
    of launches that follow in the same memory.
    """
    program = program_of(checked, schedule)
    return run_program(
        program, values, launches=launches, interleavings=interleavings, seed=seed, checked=False, then=then
    )


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
    then: tuple[dict[str, int], ...] = (),
) -> Outcome:
    """Search the interleavings of a schedule's kernel, with all checks; without `values` in several small shapes.

    With `values`, `then` are the extents of launches that follow in the same memory, as in `Setup`.
    """
    if values is None:
        setups = small_setups(schedule, cores)
    else:
        number = cores or small_cores(schedule, values[schedule.exchange.ranks])
        setups = (Setup(values, number, then, tile=small_tile(schedule, values)),)
    program = program_of(checked, schedule, kernel)
    return search(program, setups, launches=launches, interleavings=interleavings, seed=seed)


def too_few_cores(schedule: Schedule, values: dict[str, int] | None, cores: int) -> str | None:
    """Why `simulate` cannot run a schedule with that many cores, None where it can."""
    ranks = values[schedule.exchange.ranks] if values is not None else small_shape(schedule)[schedule.exchange.ranks]
    role = role_without_core(schedule, ranks, cores)
    if role is None or (values is None and small_setups(schedule, cores)):
        return None
    return f"{schedule.name}: role {role.name} has no core at {cores} core{'s' * (cores != 1)} and {ranks} ranks"


def too_many_cores(schedule: Schedule, cores: int) -> str | None:
    """Why a launch of a schedule does not have that many cores, None where it may."""
    most = analysis.launch_cores(schedule)
    if cores <= most:
        return None
    why = "`cores` says so" if schedule.cores is not None else f"{schedule.target.name} runs no more at once"
    return f"{schedule.name}: a launch has {most} core{'s' * (most != 1)}, not {cores}: {why}"


def memory_needed(schedule: Schedule, values: dict[str, int]) -> int:
    """About how many bytes a run at these extents takes: the memory of all ranks, and data to fill and compare it."""
    ranks = values[schedule.exchange.ranks]
    held = sum(analysis.storage_bytes(schedule, storage).evaluate(values) for storage in schedule.storages)
    source = analysis.storage_elements(schedule, schedule.source).evaluate(values)
    # The places' hash has 64 bits an element and is the same for all slabs; an input and an output are made at a time.
    data = source // ranks * 2 * HASH_BYTES + 2 * source * schedule.source.element_bytes
    return ranks * (held + words.signal_bytes(schedule).evaluate(values)) + data


def _axes(schedule: Schedule) -> tuple[Axes, ...]:
    """The axes of what the kernel is handed: tensors, buffers, and signal words, where an axis counts tiles."""
    found = [Axes(s.name, analysis.memory_axes(schedule, s)) for s in schedule.storages if s.overlay is None]
    step = schedule.target.signal_stride_bytes // WORD_BYTES
    for region in words.all_words(schedule):
        named = ((f"{a} tile" if a in schedule.exchange.dims else a, e) for a, e in region.axes)
        extents = tuple((a, analysis.CORES if a == words.LANE else e) for a, e in named)
        found.append(Axes(region.name, extents, step))
    return tuple(found)


def _tensor(storage: Storage) -> Tensor:
    return Tensor(storage.name, storage.dtype, storage.layout.factors, storage.strided)
