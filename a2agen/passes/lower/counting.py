"""The end of a launch: its number is stored, for the next one to count on."""

from __future__ import annotations

from collections.abc import Iterable

from a2agen.ir.model import Schedule
from a2agen.ir.plan import CoreClass, EpochStore, Fence, Op
from a2agen.passes.lower.sync import EPOCH


def count_launch(
    schedule: Schedule, prologue: Iterable[Op], classes: Iterable[CoreClass], epilogue: Iterable[Op]
) -> tuple[Op, ...]:
    """What stores the number behind a kernel's other operations.

    A core of a GPU is many warps, and each reads the number when it starts. One that starts late must not find that of
    the next launch, for whose words it would wait for ever: all warps meet before one thread stores. Where they have
    met on the way, that is enough. A loop may have no turn, so what stands in one is not counted on; of a kernel all of
    whose cores have a turn of a loop with a barrier in it, as those that put block by block, this is one barrier a
    launch more than it needs.
    """
    met = any(map(_meet, (prologue, epilogue))) or all(_meet(part.body) for c in classes for part in c.parts)
    store = EpochStore(EPOCH.name)
    return (store,) if met or schedule.target.vendor != "nvidia" else (Fence(), store)


def _meet(ops: Iterable[Op]) -> bool:
    """Whether all warps of a core meet, however often its loops run."""
    return any(isinstance(op, Fence) for op in ops)
