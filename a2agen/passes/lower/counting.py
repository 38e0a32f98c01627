"""The end of a launch: its number is stored, for the next one to count on."""

from __future__ import annotations

from collections.abc import Iterable

from a2agen.ir.expr import Const, Expr
from a2agen.ir.model import Schedule
from a2agen.ir.plan import CoreClass, EpochStore, Fence, Loop, Op
from a2agen.passes.lower.sync import EPOCH


def count_launch(
    schedule: Schedule, prologue: Iterable[Op], classes: Iterable[CoreClass], epilogue: Iterable[Op]
) -> tuple[Op, ...]:
    """What stores the number behind a kernel's other operations.

    A core of a GPU is many warps, and each reads the number when it starts. One that starts late must not find that of
    the next launch, for whose words it would wait for ever: all warps meet before one thread stores. Where they have
    met on the way, that is enough.
    """
    met = any(_meet(ops) for ops in (prologue, epilogue)) or all(
        _meet(p.body, p.first) for c in classes for p in c.parts
    )
    store = EpochStore(EPOCH.name)
    return (store,) if met or schedule.target.vendor != "nvidia" else (Fence(), store)


def _meet(ops: Iterable[Op], lanes: Expr | None = None) -> bool:
    """Whether all warps of a core meet, however often its loops run. `lanes`: the core's own lane is below that."""
    return any(
        isinstance(op, Fence) or (isinstance(op, Loop) and _runs(op, lanes) and _meet(op.body, lanes)) for op in ops
    )


def _runs(loop: Loop, lanes: Expr | None) -> bool:
    """Whether a loop has a turn at all shapes: over blocks, of which there is one at least, or from the core's lane on
    up to where the lanes of its part end."""
    return (loop.name == "blk" and loop.first == Const(0)) or (lanes is not None and loop.end == lanes)
