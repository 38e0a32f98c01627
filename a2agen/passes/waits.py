"""Who waits for whom: an order of the pieces of a launch, or a circle of waits.

A core does its phases in order, moves of whole slabs first, then block by block. A reader waits for its
writer's announcement, a writer whose slot is freed by credit for the reader of the block that had the slot, and
a device barrier for every core. A few blocks are enough to see every circle: what repeats from block to block
repeats in the same way.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise

from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes import analysis

BLOCKS = 4
# Of a circle of more steps than these no shorter one is looked for.
_FEW = 64


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
    """Steps each of which waits for the next one and the last for the first, as few as do; None where there is an
    order."""
    waits = _Waits(schedule).waits
    found = _some_circle(waits)
    if found is None or len(found) > _FEW:
        return found
    return min((_shortest(waits, step) for step in found), key=len)


def _shortest(waits: dict[Step, list[Step]], first: Step) -> list[Step]:
    """The fewest steps of a circle that a step is in."""
    before: dict[Step, Step] = {}
    reached = deque([first])
    while first not in before:
        step = reached.popleft()
        for following in waits.get(step, []):
            if following not in before:
                before[following] = step
                reached.append(following)
    steps = [first]
    while before[steps[-1]] != first:
        steps.append(before[steps[-1]])
    return [first, *reversed(steps[1:])]


def _some_circle(waits: dict[Step, list[Step]]) -> list[Step] | None:
    """The first circle that turns up."""
    done: set[Step] = set()
    for start, first in waits.items():
        path = {start: None}  # in order, as a dict is
        stack = [(start, iter(first))]
        while stack:
            step, rest = stack[-1]
            following = next((s for s in rest if s not in done), None)
            if following is None:
                done.add(step)
                del path[step]
                stack.pop()
            elif following in path:
                steps = list(path)
                return steps[steps.index(following) :]
            else:
                path[following] = None
                stack.append((following, iter(waits.get(following, []))))
    return None


class _Waits:
    """What each step of a schedule waits for, in `waits`."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._blocks = BLOCKS if schedule.block is not None else 1
        self._numbers = {id(move): n for phase in schedule.phases for n, move in enumerate(phase.moves)}
        self._barrier = any(p.ready.kind == "barrier" for p in schedule.phases)
        self.waits: dict[Step, list[Step]] = {}
        by_role: dict[str, list[tuple[Phase, Move]]] = {role.name: [] for role in schedule.roles}
        for phase, move in analysis.moves(schedule):
            by_role[phase.role.name].append((phase, move))
        for own in by_role.values():
            steps = self._program(own)
            for before, after in pairwise(steps):
                self.waits.setdefault(after, []).append(before)
            for step in steps:
                self.waits.setdefault(step, [])
        for phase, move in analysis.moves(schedule):
            for _, writer, written in analysis.feeds(schedule, move):
                self._reads(phase, move, writer, written)

    def _reads(self, phase: Phase, move: Move, writer: Phase, written: Move) -> None:
        """A move waits for what it reads, and a writer whose slots are freed by credit for who has read them."""
        for step in self._steps(phase, move):
            self.waits.setdefault(step, []).append(self._announcing(writer, written, step.block))
        credit = writer.free.unit == "tile" and analysis.row(self._schedule, writer, written).error is None
        if credit and written.target.slots is not None:
            for step in self._steps(writer, written):
                earlier = (step.block or 0) - written.target.slots.count
                if earlier >= 0:
                    self.waits.setdefault(step, []).append(self._step(phase, move, earlier))

    def _program(self, own: list[tuple[Phase, Move]]) -> list[Step]:
        """The steps of a role's cores, in order."""
        steps = [self._step(p, m, None) for p, m in own if self._whole(p, m)]
        inside = [(p, m) for p, m in own if not self._whole(p, m)]
        late = {p.name for p in {p.name: p for p, _ in inside}.values() if self._barrier and self._behind_barrier(p)}
        for block in range(self._blocks):
            steps += [self._step(p, m, block) for p, m in inside if p.name not in late]
            steps += [Step(None, 0, block)] if self._barrier else []
            steps += [self._step(p, m, block) for p, m in inside if p.name in late]
        return steps

    def _behind_barrier(self, phase: Phase) -> bool:
        return any(w.ready.kind == "barrier" for m in phase.moves for _, w, _ in analysis.feeds(self._schedule, m))

    def _steps(self, phase: Phase, move: Move) -> list[Step]:
        if self._whole(phase, move):
            return [self._step(phase, move, None)]
        return [self._step(phase, move, block) for block in range(self._blocks)]

    def _step(self, phase: Phase, move: Move, block: int | None) -> Step:
        return Step(phase.name, self._numbers[id(move)], block, move)

    def _whole(self, phase: Phase, move: Move) -> bool:
        """Whether a move comes before the block loop; without blocks everything is one block."""
        return self._schedule.block is not None and analysis.at_once(self._schedule, phase, move)

    def _announcing(self, writer: Phase, move: Move, block: int | None) -> Step:
        """The step after which the writer's announcement for a block comes."""
        if writer.ready.kind == "barrier":
            return Step(None, 0, block or 0)
        if self._whole(writer, move):
            return self._step(writer, move, None)
        last = self._blocks - 1
        return self._step(writer, move, last if block is None or writer.ready.unit == "peer" else block)
