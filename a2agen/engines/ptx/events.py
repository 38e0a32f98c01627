"""What others can see of a kernel: its waits, notifies, barriers, and accesses of memory, in PTX and in the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from a2agen.engines.ptx.assembly import Block, Instruction, made_from, roots
from a2agen.ir.plan import (
    Barrier,
    Copy,
    EpochLoad,
    EpochStore,
    Fence,
    Kernel,
    Load,
    Loop,
    Notify,
    Op,
    Plan,
    Store,
    Wait,
    inner,
)

PEERS = "standin_peers"
"""The argument that the stand-in adds: the table of where the peers' memory is."""
EPOCHS = "epochs"
"""The argument with the numbers of launches, whatever the plan calls it."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something to see: "wait", "set", "add", "barrier", "load" or "store", of which argument ("" for a barrier), and
    whether at a peer."""

    kind: str
    argument: str = ""
    remote: bool = False

    def __str__(self) -> str:
        if self.kind == "barrier":
            return "barrier of the program"
        where = " at a peer" if self.remote else ""
        return f"{self.kind} of {self.argument}{where}"


@dataclass(frozen=True, slots=True)
class Found:
    """An event in PTX: the instruction, its block and its place there."""

    event: Event
    instruction: Instruction
    block: int
    place: int


@dataclass(frozen=True, slots=True)
class Seen:
    """The events of a compiled kernel, and what about them is wrong whatever the plan."""

    events: tuple[Found, ...]
    faults: tuple[str, ...]


def operations(kernel: Kernel) -> tuple[Op, ...]:
    """The operations of a kernel in the order of its text, those that one holds behind it."""
    parts = [part.body for cores in kernel.classes for part in cores.parts]
    return tuple(_every((*kernel.prologue, *(op for body in parts for op in body), *kernel.epilogue)))


@dataclass(frozen=True, slots=True)
class Planned:
    """An event of the plan: the number of the innermost loop that it is in, and of how many turns of the loops around
    it a compiler knows that they follow one another, which it may write out."""

    event: Event
    loop: int
    turns: int


def planned(kernel: Kernel, known: Mapping[str, int]) -> tuple[Planned, ...]:
    """The events of a kernel in the order of its text, where a compiler knows some numbers."""
    parts = [part.body for cores in kernel.classes for part in cores.parts]
    ops = (*kernel.prologue, *(op for body in parts for op in body), *kernel.epilogue)
    return tuple(_around(ops, 0, 1, known, count(1)))


def _around(
    ops: tuple[Op, ...], loop: int, turns: int, known: Mapping[str, int], numbers: count[int]
) -> Iterator[Planned]:
    for op in ops:
        for event in _events(op):
            yield Planned(event, loop, turns)
        if isinstance(op, Loop):
            bounds = (op.first, op.end, op.step)
            fixed = all(name in known for bound in bounds for name in bound.names())
            times = len(range(*(bound.evaluate(known) for bound in bounds))) if fixed else 1
            yield from _around(op.body, next(numbers), turns * times, known, numbers)
        else:
            yield from _around(inner(op), loop, turns, known, numbers)


def _every(ops: tuple[Op, ...]) -> Iterator[Op]:
    for op in ops:
        yield op
        yield from _every(inner(op))


def _events(op: Op) -> Iterator[Event]:
    match op:
        case Wait(word=word, rank=rank):
            yield Event("wait", word.words, rank is not None)
        case Notify(word=word, how=how):
            yield Event(how, word.words, True)
        case Copy(source=source, target=target):
            yield Event("load", source.memory, source.rank is not None)
            yield Event("store", target.memory, target.rank is not None)
        case Load(source=source):
            yield Event("load", source.memory, source.rank is not None)
        case Store(target=target):
            yield Event("store", target.memory, target.rank is not None)
        case Fence():
            yield Event("barrier")
        case EpochLoad():
            yield Event("load", EPOCHS)
        case EpochStore():
            yield Event("store", EPOCHS)
        case Barrier():
            raise ValueError("a barrier of all ranks has no form on stock Triton")


def seen(program: tuple[Block, ...], plan: Plan, parameters: tuple[str, ...]) -> Seen:
    """The events of a compiled kernel of a plan, in the order of its blocks."""
    known = {PEERS, EPOCHS, *(m.name for m in plan.memories), *(w.name for w in plan.words)}
    sources = roots(program, parameters)
    events: list[Found] = []
    faults: list[str] = []
    for number, block in enumerate(program):
        for place, instruction in enumerate(block.instructions):
            kind = _kind(instruction)
            if kind is None:
                continue
            made = made_from(instruction.address, sources)
            arguments = sorted(known.intersection(made))
            if kind == "barrier":
                events.append(Found(Event(kind), instruction, number, place))
            elif kind == "fault" or len(arguments) != 1:
                of = f" of {' or '.join(arguments) or 'no argument'}" if kind != "fault" else ""
                faults.append(f"line {instruction.line}: {instruction}{of}, which no operation of a plan becomes")
            elif arguments != [PEERS]:
                event = Event(kind, arguments[0], f"*{PEERS}" in made)
                events.append(Found(event, instruction, number, place))
    return Seen(tuple(events), tuple(faults))


def _kind(instruction: Instruction) -> str | None:
    """What an instruction is, None where nobody sees it, "fault" for what has no place in a kernel."""
    parts = instruction.parts
    ordering = {"acquire", "release", "relaxed", "acq_rel", "volatile", "sc", "weak"}.intersection(parts)
    if parts[0] in ("trap", "brkpt", "call"):
        return "fault"
    if parts[0] in ("bar", "barrier"):
        return "barrier" if instruction.operands[:1] == ("0",) else "fault"
    if parts[0] not in ("ld", "st", "red", "atom", "fence", "membar") or "param" in parts:
        return None
    if parts[:4] == ("ld", "acquire", "sys", "global"):
        return "wait"
    if parts[:4] == ("st", "release", "sys", "global"):
        return "set"
    if parts[:5] == ("red", "release", "sys", "global", "add"):
        return "add"
    if parts[:2] in (("ld", "global"), ("st", "global")) and not ordering:
        return {"ld": "load", "st": "store"}[parts[0]]
    return "fault"
