"""What the engine is told of a schedule: how the kernel's arguments lie in memory, and the limits of the machine."""

from __future__ import annotations

from a2agen.engines.ascendc.process import Machine, Memory
from a2agen.ir import plan
from a2agen.ir.model import Schedule
from a2agen.passes.lower import lower
from a2agen.targets.profile import Profile


def memories_of(schedule: Schedule, values: dict[str, int], cores: int) -> tuple[Memory, ...]:
    """The tensors, buffers and words of a schedule under the names of the kernel's arguments."""
    lowered = lower(schedule)
    known = {**values, **dict(lowered.constants), "cores": cores}
    step = schedule.target.signal_stride_bytes
    regions = (Memory(r.name, step, tuple((a, e.evaluate(known)) for a, e in r.axes)) for r in lowered.words)
    return (*(_memory(memory, schedule, known) for memory in lowered.memories), *regions)


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
