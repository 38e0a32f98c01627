"""Every interleaving of a launch protocol, by exhaustive search.

A rank is a stream: a list of stages, each of which starts when the one before it has ended. A stage is a list of cores
that run side by side, a core a list of operations on named cells that start at 0. Stores become visible at once and in
order: what fences and quiets are for is taken as given, so that what is found is the protocol's fault.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

Cell = Hashable
Verdict = Literal["HANG", "WRONG", "BROKEN"]


@dataclass(frozen=True, slots=True)
class Store:
    """Sets cells, all at one instant."""

    writes: tuple[tuple[Cell, int], ...]


@dataclass(frozen=True, slots=True)
class Add:
    """Adds to a cell, atomically."""

    cell: Cell
    amount: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Goes on once the cell equals the value, or is at least it."""

    cell: Cell
    value: int
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """Reads a cell that must hold the value: the interleaving is WRONG otherwise."""

    cell: Cell
    value: int


Operation = Store | Add | Wait | Read
Core = Sequence[Operation]
Stage = Sequence[Core]
Stream = Sequence[Stage]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What some interleaving reaches; no verdict at all means that every interleaving is right."""

    verdicts: frozenset[Verdict]
    states: int

    @property
    def safe(self) -> bool:
        return not self.verdicts


class TooManyStatesError(RuntimeError):
    """The search was given up: a verdict of safe would be a guess."""


_Rank = tuple[int, tuple[int, ...]]
_State = tuple[tuple[_Rank, ...], tuple[int, ...]]


def explore(
    streams: Sequence[Stream],
    *,
    invariant: Callable[[tuple[int, ...]], bool] | None = None,
    limit: int = 2_000_000,
) -> Outcome:
    """Runs every interleaving of the ranks' streams.

    HANG: a rank can never go on. WRONG: a read found another value. BROKEN: `invariant`, which gets the stage that each
    rank is in, does not hold. The search goes on past a verdict, to find all of them. TooManyStatesError past `limit`.
    """
    cells: dict[Cell, int] = {}
    program = [[[[_compile(op, cells) for op in core] for core in stage] for stage in stream] for stream in streams]
    start: _State = (tuple(_enter(stream, 0) for stream in program), (0,) * len(cells))
    seen = {start}
    todo = [start]
    verdicts: set[Verdict] = set()
    while todo:
        ranks, memory = todo.pop()
        if invariant is not None and not invariant(tuple(stage for stage, _ in ranks)):
            verdicts.add("BROKEN")
        moved = False
        for r, (stage, counters) in enumerate(ranks):
            if stage == len(program[r]):
                continue
            for c, counter in enumerate(counters):
                core = program[r][stage][c]
                if counter == len(core):
                    continue
                after, right = core[counter](memory)
                if after is None:
                    continue
                moved = True
                if not right:
                    verdicts.add("WRONG")
                counted = (*counters[:c], counter + 1, *counters[c + 1 :])
                done = all(k == len(program[r][stage][i]) for i, k in enumerate(counted))
                rank = _enter(program[r], stage + 1) if done else (stage, counted)
                state = ((*ranks[:r], rank, *ranks[r + 1 :]), after)
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
        if not moved and any(stage < len(program[r]) for r, (stage, _) in enumerate(ranks)):
            verdicts.add("HANG")
        if len(seen) > limit:
            raise TooManyStatesError(f"more than {limit} states")
    return Outcome(frozenset(verdicts), len(seen))


_Step = Callable[[tuple[int, ...]], tuple[tuple[int, ...] | None, bool]]


def _enter(stream: Sequence[Sequence[Sequence[_Step]]], stage: int) -> _Rank:
    """The first stage from `stage` on in which some core has something to do."""
    while stage < len(stream) and not any(stream[stage]):
        stage += 1
    return stage, (0,) * len(stream[stage]) if stage < len(stream) else ()


def _compile(operation: Operation, cells: dict[Cell, int]) -> _Step:
    """The operation as a function of the memory: the memory after it, None while it waits, and whether it was right."""

    def place(cell: Cell) -> int:
        return cells.setdefault(cell, len(cells))

    def put(memory: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
        return (*memory[:at], value, *memory[at + 1 :])

    match operation:
        case Store(writes):
            targets = [(place(cell), value) for cell, value in writes]

            def store(memory: tuple[int, ...]) -> tuple[tuple[int, ...] | None, bool]:
                for at, value in targets:
                    memory = put(memory, at, value)
                return memory, True

            return store
        case Add(cell, amount):
            counter = place(cell)
            return lambda memory: (put(memory, counter, memory[counter] + amount), True)
        case Wait(cell, value, at_least):
            word = place(cell)
            if at_least:
                return lambda memory: (memory if memory[word] >= value else None, True)
            return lambda memory: (memory if memory[word] == value else None, True)
        case Read(cell, value):
            datum = place(cell)
            return lambda memory: (memory, memory[datum] == value)
