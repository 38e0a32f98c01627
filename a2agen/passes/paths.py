"""The ways that slabs take through a schedule's moves, from the input to the output."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Literal

from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes.analysis import moves

Pair = Literal["others", "self"]
Step = tuple[Phase, Move]

PAIRS: tuple[Pair, ...] = ("others", "self")
SLABS: dict[Pair, str] = {"others": "the slabs for other ranks", "self": "the own slab"}


def steps(schedule: Schedule, pair: Pair) -> list[Step]:
    """The moves for a pair, with their phases, in order."""
    return [(phase, move) for phase, move in moves(schedule) if pair in move.pairs()]


def loose(schedule: Schedule, end: Literal["source", "target"]) -> Iterator[tuple[Step, Pair]]:
    """Moves for a pair that comes to the output, whose one end no move for the same pair touches: nobody takes slabs on
    from the target, or nobody brings any to the source."""
    for pair in PAIRS:
        taken = steps(schedule, pair)
        if not count(schedule, taken):
            continue
        if end == "target":
            touched = {schedule.result.name, *(m.source.name for _, m in taken)}
            yield from ((step, pair) for step in taken if step[1].target.name not in touched)
        else:
            touched = {schedule.source.name, *(m.target.name for _, m in taken)}
            yield from ((step, pair) for step in taken if step[1].source.name not in touched)


def without(pair: Pair, move: Move) -> str | None:
    """The help that leaves a pair out of a move for both; None where the move is for this pair alone."""
    others = [p for p in move.pairs() if p != pair]
    return f"write `move {move.source.name} -> {move.target.name} for {others[0]}`" if others else None


def count(schedule: Schedule, taken: Sequence[Step]) -> int:
    """How many ways lead from the input to the output. The moves must form no cycle."""
    onward = defaultdict[str, list[str]](list)
    open_ends = Counter[str]()  # moves into a storage whose ways are not counted yet
    for _, move in taken:
        onward[move.source.name].append(move.target.name)
        open_ends[move.target.name] += 1
    ways = Counter({schedule.source.name: 1})
    ready = [name for name in onward if not open_ends[name]]
    while ready:
        name = ready.pop()
        for target in onward[name]:
            ways[target] += ways[name]
            open_ends[target] -= 1
            if not open_ends[target]:
                ready.append(target)
    return ways[schedule.result.name]


def second(schedule: Schedule, taken: Sequence[Step]) -> int:
    """How many of the moves it takes, in order, until a second way from the input to the output is open."""
    return bisect_left(range(len(taken)), 2, key=lambda n: count(schedule, taken[:n]))


def some(schedule: Schedule, taken: Sequence[Step], last: Step | None = None) -> list[Step]:
    """One way from the input to the output, through `last` where it is given; empty where there is none."""
    start, end = schedule.source.name, schedule.result.name
    if last is None:
        return _shortest(taken, start, end) or []
    before = _shortest(taken, start, last[1].source.name)
    after = _shortest(taken, last[1].target.name, end)
    return [] if before is None or after is None else [*before, last, *after]


def _shortest(taken: Sequence[Step], start: str, end: str) -> list[Step] | None:
    ways: dict[str, list[Step]] = {start: []}
    todo = deque([start])
    while todo and end not in ways:
        name = todo.popleft()
        for step in taken:
            source, target = step[1].source.name, step[1].target.name
            if source == name and target not in ways:
                ways[target] = [*ways[name], step]
                todo.append(target)
    return ways.get(end)


def closing(schedule: Schedule) -> Step | None:
    """The first move that brings slabs back to where they have been; None where the moves form no cycle."""
    for pair in PAIRS:
        onward: dict[str, set[str]] = {}
        for phase, move in steps(schedule, pair):
            reached, todo = set[str](), [move.target.name]
            while todo:
                name = todo.pop()
                if name not in reached:
                    reached.add(name)
                    todo += onward.get(name, ())
            if move.source.name in reached:
                return phase, move
            onward.setdefault(move.source.name, set()).add(move.target.name)
    return None


def for_whom(move: Move) -> str:
    """What follows the two ends of a move in a spec."""
    return "" if move.who == "all" else f" for {move.who}"


def impossible(move: Move) -> tuple[str, str] | None:
    """Why a move can't be made, and the way out; None where it can."""
    source, target = move.source, move.target
    if source.name == target.name:
        return None  # a cycle of one
    if source.kind == "out":
        return (
            f"{source.name} is the output, which nothing is moved out of",
            f"move from a buffer, or into {source.name}",
        )
    if target.kind == "in":
        return f"{target.name} is the input, which nothing is moved into", f"move to a buffer, or out of {target.name}"
    if source.side == "receiver" and target.side == "sender":
        message = f"{source.name} holds what has arrived, {target.name} what is to be sent: data would go back"
        turned = f"move {target.name} -> {source.name}{for_whom(move)}"
        return message, f"write `{turned}`, or give {target.name} `from` in place of `to`"
    if target.name == source.overlay or source.name == target.overlay:
        inner, outer = (source, target) if source.overlay else (target, source)
        message = f"{inner.name} lies in {outer.name}: the slab would be moved over itself"
        return message, f"leave the move out, and `overlay {outer.name}[self]` stands for it"
    for storage in (source, target):
        if storage.side == "own" and "others" in move.pairs():
            message = f"{storage.name} holds the own slab only, and the move is for {move.who}"
            own = f"write `move {source.name} -> {target.name} for self`"
            return message, own if move.who == "all" else f"give {storage.name} an axis `to` or `from`"
    there, here = (sorted(a for a in s.layout.axes if a != s.peer_axis) for s in (source, target))
    if there != here:
        more = [f"{source.name} lacks {a}" for a in here if a not in there]
        more += [f"{target.name} lacks {a}" for a in there if a not in here]
        return f"{source.name} {source.layout} and {target.name} {target.layout} differ: {', '.join(more)}", (
            "give both the same axes; only `to` and `from` may differ"
        )
    return None


def can_be_followed(schedule: Schedule) -> bool:
    """Whether the ways of slabs mean something: all moves are known and possible, and none closes a cycle."""
    if schedule.poisoned or any(impossible(move) for _, move in moves(schedule)):
        return False
    return closing(schedule) is None
