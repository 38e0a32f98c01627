"""The memories of a plan: every tensor and buffer as it lies."""

from __future__ import annotations

from a2agen.ir.model import Schedule
from a2agen.ir.plan import Memory
from a2agen.passes import analysis
from a2agen.passes.lower.scope import Scope


def memories(schedule: Schedule, scope: Scope) -> tuple[Memory, ...]:
    """All but overlays, which lie in the memory of their host."""
    found = []
    for storage in schedule.storages:
        if storage.overlay is None:
            axes = analysis.memory_axes(schedule, storage)
            if storage.slots is not None and schedule.block is not None:
                axes = tuple((a, scope.block_size() if a == schedule.block.axis else n) for a, n in axes)
            about = f"{storage.dtype} {storage.layout}"
            if storage.slots is not None and schedule.block is not None:
                about += f", {storage.slots.count} slots of {schedule.block.size} {schedule.block.axis}"
            if analysis.halved(schedule, storage):
                about += ", twice"
            lying_in_it = ", ".join(s.name for s in schedule.buffers if s.overlay == storage.name)
            if lying_in_it:
                about += f"; {lying_in_it} lies in the slab of the own rank"
            found.append(
                Memory(
                    name=storage.name,
                    kind=storage.kind,
                    dtype=storage.dtype,
                    axes=axes,
                    symmetric=storage.symmetric,
                    strided=storage.strided,
                    about=about,
                    slab=scope.slab(storage, axes),
                    flags=scope.flags(storage, axes),
                )
            )
    return tuple(found)
