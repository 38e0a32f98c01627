"""Whether a compiled kernel does what its plan says, in an order that the plan allows.

Both are looked at as events. The lines of the kernel's text, which PTX names for each instruction, are in the order of
the plan's operations, so they say which event is which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, product

from a2agen.engines.ptx.assembly import Block
from a2agen.engines.ptx.events import EPOCHS, Event, Found, Planned, Seen

NOTIFIES = ("set", "add")


@dataclass(frozen=True, slots=True)
class Group:
    """The instructions that one operation of the plan became, or one half of a copy."""

    event: Event
    line: int
    found: tuple[Found, ...]


def groups(seen: Seen) -> tuple[Group, ...]:
    """Events by the lines that they come from, in the order of those."""
    by_line = sorted(seen.events, key=lambda f: (f.instruction.line, f.event.kind, f.event.argument))
    return tuple(
        Group(event, line, tuple(found))
        for (line, event), found in groupby(by_line, key=lambda f: (f.instruction.line, f.event))
    )


def faults(program: tuple[Block, ...], seen: Seen, wanted: tuple[Planned, ...]) -> list[str]:
    """What is wrong with the events of a kernel for which those of the plan are wanted, in words."""
    found = groups(seen)
    wrong = [*seen.faults, *_count(tuple(g.event for g in found), tuple(p.event for p in wanted))]
    if wrong:
        return wrong
    return [
        *_written_out(found, wanted),
        *_moved(program, found, wanted),
        *_unpolled(program, seen),
        *_by_all(seen),
        *_overtaken(program, seen),
    ]


def _count(found: tuple[Event, ...], wanted: tuple[Event, ...]) -> Iterator[str]:
    """Every operation of the plan is there, none else, and in the order of the text."""
    have, want = Counter(found), Counter(wanted)
    for event in dict.fromkeys((*wanted, *found)):
        if have[event] != want[event]:
            yield f"PTX has {have[event]} of {want[event]}: {event}"
    if have == want and found != wanted:
        first = next(n for n, (a, b) in enumerate(zip(found, wanted, strict=True)) if a != b)
        yield f"the {found[first]} is in the place of: {wanted[first]}"


def _written_out(found: tuple[Group, ...], wanted: tuple[Planned, ...]) -> Iterator[str]:
    """A loop is kept, or all of its turns are written out."""
    for group, plan in zip(found, wanted, strict=True):
        copies = len(group.found)
        if group.event.kind in (*NOTIFIES, "wait") and copies not in (1, plan.turns):
            yield f"PTX has {copies} of {plan.turns} turns of: {group.event} (line {group.line})"


def _moved(program: tuple[Block, ...], found: tuple[Group, ...], wanted: tuple[Planned, ...]) -> Iterator[str]:
    """No instruction runs before another that its text comes behind, within one turn of the loops around both."""
    ahead = _forward(program)
    for n, later in enumerate(found):
        for m, earlier in enumerate(found[:n]):
            pairs = _pairs(ahead, later, earlier, wanted[n].loop == wanted[m].loop and wanted[n].turns > 1)
            if any(_precedes(a, b, ahead) for a, b in pairs):
                yield (
                    f"the {later.event} (line {later.line}) runs before: {earlier.event} (line {earlier.line}), "
                    "behind which the text has it"
                )


def _pairs(
    ahead: dict[int, frozenset[int]], later: Group, earlier: Group, turns: bool
) -> Iterable[tuple[Found, Found]]:
    """The instructions to compare: all, or those of the same turn where the turns of a loop are written out."""
    if not turns or len(later.found) != len(earlier.found):
        return product(later.found, earlier.found)
    return zip(*(sorted(g.found, key=lambda f: (-len(ahead[f.block]), f.place)) for g in (later, earlier)), strict=True)


def _precedes(a: Found, b: Found, ahead: dict[int, frozenset[int]]) -> bool:
    return a.place < b.place if a.block == b.block else b.block in ahead[a.block]


def _forward(program: tuple[Block, ...]) -> dict[int, frozenset[int]]:
    """For each block those that come behind it without a turn back to the head of a loop."""
    back: set[tuple[int, int]] = set()
    state: dict[int, str] = {}
    order: list[int] = []
    stack: list[tuple[int, Iterator[int]]] = [(0, iter(program[0].successors))]
    state[0] = "open"
    while stack:
        number, successors = stack[-1]
        for successor in successors:
            if state.get(successor) == "open":
                back.add((number, successor))
            elif successor not in state:
                state[successor] = "open"
                stack.append((successor, iter(program[successor].successors)))
                break
        else:
            state[number] = "done"
            order.append(number)
            stack.pop()
    ahead: dict[int, frozenset[int]] = {n: frozenset() for n in range(len(program))}
    # In the order in which they were left, each block comes behind all that follow it.
    for number in order:
        following = [s for s in program[number].successors if (number, s) not in back]
        ahead[number] = frozenset().union(following, *(ahead[s] for s in following))
    return ahead


def _unpolled(program: tuple[Block, ...], seen: Seen) -> Iterator[str]:
    """A wait loads again until it has found the value: a branch back to it that is taken unless a comparison holds."""
    for f in seen.events:
        block = program[f.block]
        if f.event.kind != "wait":
            continue
        last = block.instructions[-1]
        value = f.instruction.operands[0]
        compared = [i for i in block.instructions[f.place :] if i.name == "setp" and value in i.operands[1:]]
        if f.block not in block.successors or not any(c.operands[0] == last.predicate.lstrip("!") for c in compared):
            yield f"the {f.event} (line {f.instruction.line}) loads once: it does not wait"


def _by_all(seen: Seen) -> Iterator[str]:
    """One thread of a program notifies, and one counts the launch."""
    for f in seen.events:
        single = f.event.kind in NOTIFIES or (f.event.kind == "store" and f.event.argument == EPOCHS)
        if single and not f.instruction.predicate:
            yield f"the {f.event} (line {f.instruction.line}) is done by every thread"


def _overtaken(program: tuple[Block, ...], seen: Seen) -> Iterator[str]:
    """Between what all threads do and what one of them tells of it there is a barrier, on every path."""
    for f in seen.events:
        if f.event.kind not in ("load", "store"):
            continue
        for behind in _unhindered(program, seen, f):
            line, there = f.instruction.line, behind.instruction.line
            if f.event.argument != EPOCHS and behind.event.kind in NOTIFIES:
                yield (
                    f"the {behind.event} (line {there}) by one warp may overtake the {f.event} (line {line}) of "
                    "another: no barrier of the program on a path between them"
                )
            if f.event == Event("load", EPOCHS) and behind.event == Event("store", EPOCHS):
                yield (
                    f"one warp may count the launch (line {there}) before another reads its number (line {line}): "
                    "no barrier of the program on a path between them"
                )


def _unhindered(program: tuple[Block, ...], seen: Seen, start: Found) -> list[Found]:
    """The events that a path without a barrier leads to."""
    of_block: dict[int, list[Found]] = {}
    for f in seen.events:
        of_block.setdefault(f.block, []).append(f)
    reached: list[Found] = []
    entered: set[int] = set()
    todo = [(start.block, start.place)]
    while todo:
        number, place = todo.pop()
        for f in of_block.get(number, []):
            if f.place > place:
                if f.event.kind == "barrier":
                    break
                reached.append(f)
        else:
            new = [s for s in program[number].successors if s not in entered]
            entered.update(new)
            todo += [(s, -1) for s in new]
    return list(dict.fromkeys(reached))
