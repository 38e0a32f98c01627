"""Who waits for whom: an order of the pieces of a launch, or a circle of waits.

A core does its phases in order, moves of whole slabs first, then block by block. A reader waits for its
writer's announcement, a writer whose slot is freed by credit for the reader of the block that had the slot, and
a device barrier for every core. A few blocks are enough to see every circle: what repeats from block to block
repeats in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes import analysis

BLOCKS = 4


@dataclass(frozen=True, slots=True)
class Step:
    """The `number`-th move of a phase for one block, or for whole slabs where `block` is None.

    A device barrier where it has no phase.
    """

    phase: str | None
    number: int
    block: int | None
    move: Move | None = field(default=None, compare=False)


def circle(schedule: Schedule) -> list[Step] | None:
    """Steps each of which waits for the next one and the last for the first; None where there is an order."""
    waits = _waits(schedule)
    done: set[Step] = set()
    for start in waits:
        path: list[Step] = []
        stack = [(start, iter(waits[start]))]
        path.append(start)
        while stack:
            step, rest = stack[-1]
            following = next((s for s in rest if s not in done), None)
            if following is None:
                done.add(step)
                path.pop()
                stack.pop()
            elif following in path:
                return path[path.index(following) :]
            else:
                path.append(following)
                stack.append((following, iter(waits.get(following, []))))
    return None


def _waits(schedule: Schedule) -> dict[Step, list[Step]]:
    waits: dict[Step, list[Step]] = {}
    for role in schedule.roles:
        steps = _program(schedule, role.name)
        for before, after in pairwise(steps):
            waits.setdefault(after, []).append(before)
        for step in steps:
            waits.setdefault(step, [])
    for phase, move in analysis.moves(schedule):
        for _, writer, written in analysis.feeds(schedule, move):
            for step in _steps(schedule, phase, move):
                waits.setdefault(step, []).append(_announcing(schedule, writer, written, step.block))
            credit = writer.free.unit == "tile" and analysis.row(schedule, writer, written).error is None
            if credit and written.target.slots is not None:
                for step in _steps(schedule, writer, written):
                    earlier = (step.block or 0) - written.target.slots.count
                    if earlier >= 0:
                        waits.setdefault(step, []).append(_step(phase, move, earlier))
    return waits


def _program(schedule: Schedule, role: str) -> list[Step]:
    """The steps of a role's cores, in order."""
    own = [(p, m) for p, m in analysis.moves(schedule) if p.role.name == role]
    whole = [_step(p, m, None) for p, m in own if _whole(schedule, p, m)]
    inside = [(p, m) for p, m in own if not _whole(schedule, p, m)]
    barrier = any(p.ready.kind == "barrier" for p in schedule.phases)
    behind = [(p, m) for p, m in inside if barrier and _reads_behind_barrier(schedule, p)]
    ahead = [(p, m) for p, m in inside if not (barrier and _reads_behind_barrier(schedule, p))]
    steps = whole
    for block in range(_blocks(schedule)):
        steps += [_step(p, m, block) for p, m in ahead]
        steps += [Step(None, 0, block)] if barrier else []
        steps += [_step(p, m, block) for p, m in behind]
    return steps


def _reads_behind_barrier(schedule: Schedule, phase: Phase) -> bool:
    return any(w.ready.kind == "barrier" for m in phase.moves for _, w, _ in analysis.feeds(schedule, m))


def _steps(schedule: Schedule, phase: Phase, move: Move) -> list[Step]:
    if _whole(schedule, phase, move):
        return [_step(phase, move, None)]
    return [_step(phase, move, block) for block in range(_blocks(schedule))]


def _step(phase: Phase, move: Move, block: int | None) -> Step:
    return Step(phase.name, next(n for n, m in enumerate(phase.moves) if m is move), block, move)


def _whole(schedule: Schedule, phase: Phase, move: Move) -> bool:
    """Whether a move comes before the block loop; without blocks everything is one block."""
    return schedule.block is not None and analysis.at_once(schedule, phase, move)


def _blocks(schedule: Schedule) -> int:
    return BLOCKS if schedule.block is not None else 1


def _announcing(schedule: Schedule, writer: Phase, move: Move, block: int | None) -> Step:
    """The step after which the writer's announcement for a block comes."""
    if writer.ready.kind == "barrier":
        return Step(None, 0, block or 0)
    if _whole(schedule, writer, move):
        return _step(writer, move, None)
    last = _blocks(schedule) - 1
    return _step(writer, move, last if block is None or writer.ready.unit == "peer" else block)
