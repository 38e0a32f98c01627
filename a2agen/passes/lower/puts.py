"""Puts: what each queue of each peer carries, in requests, and how that is completed and announced."""

from __future__ import annotations

from dataclasses import replace

from a2agen.ir.expr import Const, Expr, Min, Sym, ceil_div, mul
from a2agen.ir.plan import After, Fence, Let, Loop, Op, Put, Quiet, Signal
from a2agen.passes import analysis, words
from a2agen.passes.lower.copies import counters, nest
from a2agen.passes.lower.transfer import Transfer

ZERO, ONE = Const(0), Const(1)


def puts(transfer: Transfer) -> tuple[Op, ...]:
    """The puts of each peer's slab, or of the current block of it."""
    t, peers = transfer, transfer.peers
    waits, source_tokens = t.arrival()
    dealt = analysis.shares_requests(t.schedule, t.phase)
    enter = t.channel.enter(peers.peer, t.scope.name("admitted")) if t.channel.announces and not dealt else ()
    tokens = tuple(wait.token for wait in enter)
    axis = None if t.whole else analysis.block_axis(t.schedule)
    counts: dict[str, Expr] = {a: t.scope.sym("rows") if a == axis else Sym(a) for a in t.axes()}
    lets = _queue_part(t, counts)
    inner = t.axes()[-1]
    if t.move.target.flagged and t.move.target.layout.axes[-1] == inner:
        counts[inner] = t.scope.sym("row", t.move.target.name)
    put = Put(
        t.access(t.move.source, None, source_tokens),
        t.access(t.move.target, None, tokens),
        mul(*(counts[a] for a in t.axes() if a not in t.split_axes())),
        peers.peer,
        queue=queue(t),
        via=peers.relay(t.scope) if t.phase.link.relay else None,
        signal=_signal(t),
    )
    if dealt:
        loop = _dealt(t, (*waits, put), counts)
    else:
        # The peer may end the launch when it has the signal, and no thread may wait for its word of this one then.
        seen = _threads_meet(t) if enter and put.signal is not None else ()
        body = (*waits, *enter, *seen, *lets, *_requests(t, put, counts), *_announced(t))
        loop = peers.loop(t.scope, t.lane(), t.lanes(), body, t.about, t.phase.link.queues)
    if axis is None:
        return loop
    return (
        Let(t.scope.name("start", axis), t.block_start(axis)),
        Let(t.scope.name("rows"), Min(t.scope.block_size(), Sym(axis) - t.scope.sym("start", axis))),
        *loop,
    )


def queue(transfer: Transfer) -> Expr | None:
    """The queue that puts to a peer take; None where the library has no more than one way to it."""
    if not analysis.quiets_by_queue(transfer.schedule):
        return None
    return transfer.scope.sym("queue") if transfer.phase.link.queues > 1 else ZERO


def _share(transfer: Transfer) -> Expr:
    """Which of the words that announce together is that of the current core and queue."""
    return transfer.scope.sym("queue") if transfer.phase.link.queues > 1 else transfer.lane()


def quiet(transfer: Transfer) -> Quiet:
    """Complete the puts of a core to the current peer, on the current queue where the library tells them apart."""
    number = queue(transfer)
    return Quiet() if number is None else Quiet(transfer.peers.peer, number)


def _queue_part(t: Transfer, counts: dict[str, Expr]) -> tuple[Let, ...]:
    """Bind which rows a queue takes of the first axis, and make their number that axis's count."""
    queues = t.phase.link.queues
    if queues == 1:
        return ()
    axis = t.axes()[0]
    number, first, run = t.scope.sym("queue"), t.scope.sym("first", axis), t.scope.sym("run", axis)
    rows = counts[axis]
    counts[axis] = run
    return (Let(first.name, rows * number // queues), Let(run.name, rows * (number + 1) // queues - first))


def _dealt(t: Transfer, request: tuple[Op, ...], counts: dict[str, Expr]) -> tuple[Op, ...]:
    """The requests of all peers, one for each run of memory, dealt out to the cores of a role."""
    counter = t.peers.counter(t.scope)
    assert t.peers.count is not None  # a put is for other ranks
    named = [(Sym(t.task_name(axis)), counts[axis]) for axis in t.split_axes()]
    body = (*t.peers.bind(counter), *request)
    return nest([*named, (counter, t.peers.count)], t.lane(), t.lanes(), body, t.about)


def _requests(t: Transfer, put: Put, counts: dict[str, Expr]) -> tuple[Op, ...]:
    """One put, or one for each run of memory."""
    ops: tuple[Op, ...] = (put,)
    split = t.split_axes()
    if split and (t.phase.link.batch or 1) > 1:
        ops = _batches(t, put, [(Sym(t.task_name(axis)), counts[axis]) for axis in split])
    else:
        for axis in reversed(split):
            ops = (Loop(t.task_name(axis), ZERO, counts[axis], ONE, ops),)
    first = t.axes()[0]
    if first in split or not _may_be_empty(t, first):
        return ops
    some = Min(counts[first], ONE)
    guarded: tuple[Op, ...] = (Loop(t.scope.name("some"), ZERO, some, ONE, ops, "none where there are more queues"),)
    if put.signal is not None:
        notify = t.channel.announce(t.own_index({}), put.peer, _share(t))
        guarded += (Loop(t.scope.name("none"), some, ONE, ONE, notify, "a queue without rows announces all the same"),)
    return guarded


def _batches(t: Transfer, put: Put, runs: list[tuple[Sym, Expr]]) -> tuple[Op, ...]:
    """One request for each run of memory, by batches: all but the last of a batch are deferred, and it submits them."""
    size = t.scope.batch(t.phase)
    total = mul(*(count for _, count in runs))
    batch, request, last = t.scope.sym("batch"), t.scope.sym("request"), t.scope.sym("last")
    start = batch * size
    deferred = (*counters(runs, request), replace(put, submission="defer"))
    body: tuple[Op, ...] = (
        Let(last.name, Min(start + size, total) - 1),
        Loop(request.name, start, last, ONE, deferred),
        *counters(runs, last),
        replace(put, submission="submit"),
    )
    return (Loop(batch.name, ZERO, ceil_div(total, size), ONE, body),)


def _may_be_empty(t: Transfer, axis: str) -> bool:
    """Whether a queue's part of an axis can have no rows."""
    queues = t.phase.link.queues
    if queues == 1:
        return False
    least = min(e.lo for e in t.schedule.exchange.bounds.extents if e.name == axis)
    blocked = t.schedule.block_size(axis) is not None and not t.whole
    return blocked or least < queues


def _signal(t: Transfer) -> Signal | None:
    """The word that a put brings along."""
    if t.phase.ready.kind != "signal" or not t.channel.by_word:
        return None
    return Signal(t.channel.word(t.own_index({}), _share(t)), t.channel.value())


def _announced(t: Transfer) -> tuple[Op, ...]:
    """What follows the requests for a slab or block: their completion, and the word where they bring none along."""
    ready = t.phase.ready
    if ready.kind == "notify" and t.channel.by_word and (t.whole or ready.unit == "block"):
        return (*_completed(t), *_threads_meet(t), *t.channel.announce(t.own_index({}), t.peers.peer, _share(t)))
    return _completed(t) if ready.kind in ("signal", "flag") else ()


def _completed(t: Transfer) -> tuple[Op, ...]:
    """The quiet before an announcement, where there is one."""
    return (quiet(t),) if analysis.completion(t.phase) == "each" else ()


def _threads_meet(t: Transfer) -> tuple[Op, ...]:
    """What stands between a wait or a quiet, which each thread of a GPU's program does for itself, and what tells a
    peer that all of them have."""
    return (Fence(),) if t.schedule.target.vendor == "nvidia" else ()


def entered(t: Transfer) -> tuple[Op, ...]:
    """Wait once for every other rank, where the cores of a role share what goes to each of them: all that is put there
    comes after it."""
    token = t.scope.name("admitted")
    waits = t.channel.enter(t.peers.peer, token) if t.channel.announces else ()
    if not waits or not analysis.shares_requests(t.schedule, t.phase):
        return ()
    body = (*waits, After(t.move.target.name, token))
    return t.peers.loop(t.scope, ZERO, ONE, body, "every other rank's memory is free for the launch")


def announce_slabs(t: Transfer) -> tuple[Op, ...]:
    """Announce what several puts carry, when all of them have been made: slabs that were put block by block, and those
    or blocks of which each core put some runs."""
    several = words.several_announce(t.schedule, t.phase)
    if t.phase.ready.kind != "notify" or ((t.whole or t.phase.ready.unit == "block") and not several):
        return ()  # each put announced itself
    # A core that had nothing for a peer must not announce a launch that the peer has not entered.
    enter = () if several else t.channel.enter(t.peers.peer, t.scope.name("admitted"))
    tokens = tuple(wait.token for wait in enter)
    notify = (
        *enter,
        *(_threads_meet(t) if enter else ()),
        *t.channel.announce(t.own_index({}), t.peers.peer, _share(t), tokens),
    )
    completed = _completed(t)
    every, by_peer = ((), completed) if analysis.quiets_by_queue(t.schedule) else ((*completed, *_threads_meet(t)), ())
    first, step = (ZERO, ONE) if several else (t.lane(), t.lanes())
    return (*every, *t.peers.loop(t.scope, first, step, (*by_peer, *notify), queues=t.phase.link.queues))
