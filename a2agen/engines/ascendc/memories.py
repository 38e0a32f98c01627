"""What the engine is told of a schedule: how the kernel's arguments lie in memory, and the limits of the machine."""

from __future__ import annotations

from math import prod

from a2agen.engines.ascendc.process import Machine, Memory
from a2agen.ir import plan
from a2agen.ir.model import FROM, TO, Move, Phase, Schedule
from a2agen.passes import analysis
from a2agen.passes.lower import lower
from a2agen.targets.profile import Profile

# Of the emitted kernels none takes more than 40 for a task, in the shapes that `simulate` derives.
OPERATIONS_AT_LEAST = 50_000
OPERATIONS_OF_A_TASK = 400


def memories_of(schedule: Schedule, values: dict[str, int], cores: int) -> tuple[Memory, ...]:
    """The tensors, buffers and words of a schedule under the names of the kernel's arguments."""
    lowered = lower(schedule)
    known = {**values, **dict(lowered.constants), "cores": cores}
    step = schedule.target.signal_stride_bytes
    regions = (Memory(r.name, step, tuple((a, e.evaluate(known)) for a, e in r.axes)) for r in lowered.words)
    return (*(_memory(memory, schedule, known) for memory in lowered.memories), *regions)


def operations_most(schedule: Schedule, values: dict[str, int], launches: int) -> int:
    """More operations than all cores of all ranks do in some launches: who does more is in a loop without end.

    Each task of a move is a few operations, each wait for a flag some more, as cores look again and again.
    """
    blocks = 1 if schedule.block is None else -(-values[schedule.block.axis] // schedule.block.size)
    tasks = sum(_tasks(schedule, phase, move, values) for phase, move in analysis.moves(schedule)) * blocks
    return OPERATIONS_AT_LEAST + OPERATIONS_OF_A_TASK * tasks * values[schedule.exchange.ranks] * launches


def _tasks(schedule: Schedule, phase: Phase, move: Move, values: dict[str, int]) -> int:
    """The tiles of a move for all ranks in one block, or its requests."""
    if phase.tile is not None:
        return analysis.most_tasks(schedule, phase).evaluate(values)
    apart = [a for a in move.source.layout.axes if a not in (TO, FROM, *analysis.common_run(schedule, phase, move))]
    requests = prod(values[axis] for axis in apart) if phase.link.split else 1
    return values[schedule.exchange.ranks] * phase.link.queues * requests


def _memory(memory: plan.Memory, schedule: Schedule, known: dict[str, int]) -> Memory:
    storage = next(s for s in schedule.storages if s.name == memory.name)
    axes = [(axis, extent.evaluate(known)) for axis, extent in memory.axes]
    if memory.flags is not None:
        # Blocks do not divide a row's elements evenly: what is named is the row.
        row = memory.flags.row.evaluate(known) * storage.element_bytes
        return Memory(memory.name, row, tuple(axes[:-1]), flagged=True)
    if memory.slab is not None:
        axes = [*axes[: memory.outer], ("element", memory.slab.elements.evaluate(known))]
    return Memory(memory.name, storage.element_bytes, tuple(axes))


def machine_of(target: Profile) -> Machine:
    """The limits of a target."""
    udma = target.links.get("udma")
    return Machine(
        local_bytes=target.ub_bytes or 0,
        heap_bytes=target.heap_max_bytes,
        ring_slots=udma.queue_depth or 0 if udma else 0,
        request_bytes=udma.request_max_bytes or 0 if udma else 0,
        block_bytes=target.flag_block.block_bytes if target.flag_block else 0,
        barrier_cores=target.barrier_cores or 0,
    )
