"""The operations of a plan in words, one to a line."""

from __future__ import annotations

from collections.abc import Iterable

from a2agen.ir.expr import Const, Expr, Sym, mul, show
from a2agen.ir.plan import (
    Access,
    After,
    Aim,
    Barrier,
    ClearFlags,
    Copy,
    EpochAfter,
    EpochLoad,
    EpochStore,
    Fence,
    HostCopy,
    Let,
    Load,
    Loop,
    Notify,
    Op,
    Plan,
    Put,
    Quiet,
    Store,
    TileAxis,
    Wait,
    WaitFlags,
    When,
    Word,
    inner,
)
from a2agen.passes import words

STEP = 2


def lines(plan: Plan, ops: Iterable[Op], indent: int = 0) -> list[str]:
    """The operations of one level and below it, indented by so many spaces."""
    out: list[str] = []
    for op in ops:
        out.append(" " * indent + _words(plan, op))
        out += lines(plan, inner(op), indent + STEP)
    return out


def _words(plan: Plan, op: Op) -> str:
    match op:
        case Let(name, value, about):
            return f"{name} = {show(value)}{f' ({about})' if about else ''}"
        case Loop():
            return _loop(op)
        case When(name, value, _, about):
            return f"where {name} = {show(value)}{f': {about}' if about else ''}"
        case Load(source, tile):
            return f"load {_access(source)}: {_size(plan, tile)}"
        case Aim(target):
            return f"the address of {_access(target)}"
        case Store(target, tile):
            return f"store what was loaded to {_access(target)}: {_size(plan, tile)}"
        case Copy(source, target, tile, flag):
            flags = "" if flag is None else f", their flags {show(flag)}"
            return f"copy {_access(source)} to {_access(target)}: {_size(plan, tile)}{flags}"
        case WaitFlags(source, tile, value):
            return f"wait for the flags of {_access(source)} until {show(value)}: {_size(plan, tile)}"
        case ClearFlags(target, tile):
            return f"clear the flags of {_access(target)}: {_size(plan, tile)}"
        case Put():
            return _put(op)
        case Wait(word, value, _, rank):
            return f"wait {_place(word, rank)} until {show(value)} ({_awaited(op)})"
        case Notify(word, rank, value, how):
            verb = f"add {show(value)} to" if how == "add" else "set"
            result = "" if how == "add" else f" to {show(value)}"
            return f"notify `{show(rank)}`: {verb} {_word(word)}{result} ({_told(op)})"
        case Fence(after_notify):
            return "fence: later waits come after the notify" if after_notify else "fence: the stores so far come first"
        case Quiet(peer, queue):
            return f"quiet: until every put of this core{_way(peer, queue)} has arrived"
        case Barrier():
            return "barrier of every core of every rank"
        case EpochLoad(name):
            return f"{name} = the number of this launch, from the core's own word"
        case After(memory):
            return f"what is read of {memory} from here on comes after that"
        case EpochAfter():
            return "the launch ends after that"
        case EpochStore(name):
            return f"store {name} in the core's own word, for the next launch"
    raise TypeError(f"no words for {op!r}")


def host_copy(op: HostCopy) -> str:
    """The copies that a host issues to its peers."""
    size = show(mul(*(extent for _, extent in op.extents)))
    copy = f"copy {_access(op.source)} to {_access(op.target)}: {size} elements, on side stream {show(op.stream)}"
    if op.counter is None:
        return f"{copy}, with {op.peer} = {show(op.nth)} ({op.about})"
    peer = "" if op.counter == op.peer else f", {op.peer} = {show(op.nth)}"
    return f"{copy}, for each {op.counter} below {show(op.count)}{peer} ({op.about})"


def _put(op: Put) -> str:
    """A put, with how it goes and what it brings along."""
    size = f"{show(op.elements)} elements{_way(None, op.queue)}"
    via = "" if op.via is None else f" through `{show(op.via)}`"
    when = {"now": "", "defer": "; deferred", "submit": "; submits those before it"}[op.submission]
    signal = "" if op.signal is None else f"; then {_word(op.signal.word)} is {show(op.signal.value)} there"
    return f"put {_access(op.source)} to {_access(op.target)} at `{show(op.peer)}`{via}: {size}{signal}{when}"


def _way(peer: Expr | None, queue: Expr | None) -> str:
    to = "" if peer is None else f" to `{show(peer)}`"
    return to + ("" if queue is None else f" on queue {show(queue)}")


def _size(plan: Plan, tile: tuple[TileAxis, ...]) -> str:
    """What a tile runs over, an axis or several axes together by the name of their product, and by how much."""
    sizes = {o.name: o.size for o in plan.offsets}
    cut = [(a.extent.name if isinstance(a.extent, Sym) else a.axis, a.offsets) for a in tile]
    return ", ".join(f"{over} by {show(sizes[by])}" for over, by in cut if by is not None) or "one element"


def _loop(op: Loop) -> str:
    start = "" if op.first == Const(0) else f" from {show(op.first)}"
    step = "" if op.step == Const(1) else f" by {show(op.step)}"
    return f"for {op.name}{start} below {show(op.end)}{step}{f': {op.about}' if op.about else ''}"


def _access(access: Access) -> str:
    at = "" if access.rank is None else f" at `{show(access.rank)}`"
    return f"{access.memory}[{_index(access.index)}]{at}"


def _place(word: Word, rank: Expr | None) -> str:
    return _word(word) + ("" if rank is None else f" at `{show(rank)}`")


def _word(word: Word) -> str:
    more = "" if word.count is None else f" and on, {show(word.count)} words,"
    return f"{word.words}[{_index(word.index)}]{more}"


def _index(index: tuple[tuple[str, Expr], ...]) -> str:
    return ", ".join(show(at) for _, at in index)


def _awaited(op: Wait) -> str:
    if op.word.words == words.ENTERED:
        return f"`{show(op.word.index[-1][1])}` has entered the launch"
    return "the reader has emptied it" if op.value == Const(0) else "the writer has filled it"


def _told(op: Notify) -> str:
    if op.word.words == words.ENTERED:
        return "this rank has entered the launch"
    return "the writer may fill it again" if op.value == Const(0) else "it is there"
