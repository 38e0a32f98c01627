"""The task loop of a move by loads and stores, and what each task waits for, copies and announces."""

from __future__ import annotations

from a2agen.ir.expr import Const, Expr, Sym, mul
from a2agen.ir.plan import ClearFlags, Copy, Fence, Let, Load, Loop, Op, Store, TileAxis, Wait, WaitFlags
from a2agen.passes import analysis
from a2agen.passes.lower.peers import RANK, peers_of
from a2agen.passes.lower.sync import Channel
from a2agen.passes.lower.transfer import Transfer

ZERO, ONE = Const(0), Const(1)


def copies(transfer: Transfer) -> tuple[Op, ...]:
    """The task loop of a load/store link."""
    t, peers = transfer, transfer.peers
    if t.phase.role.per_peer:
        # Each core of such a role is for one of the other ranks, and none for the own one.
        if t.who == "self":
            return ()
        peers = peers_of(t.schedule, t.scope, t.phase, t.move.source, "others")
    counts = [(a, n) for a in t.axes() if (n := t.scope.tiles(t.phase, a)) != ONE]
    named = [(Sym(t.task_name(axis)), count) for axis, count in counts]
    starts = t.starts()
    taken = {name.name for name, _ in named}
    common = tuple(let for let in starts if taken.isdisjoint(let.value.names()))
    own = tuple(let for let in starts if let not in common)
    if t.phase.role.per_peer:
        inner = nest(named, ZERO, ONE, (*own, *_task(t)))
        return (*common, *peers.loop(t.scope, t.lane(), t.lanes(), inner, t.about))
    if peers.count is not None:
        named.append((peers.counter(t.scope), peers.count))
    body = (*peers.bind(peers.counter(t.scope)), *own, *_task(t))
    return (*common, *nest(named, t.lane(), t.lanes(), body, t.about))


def _task(t: Transfer) -> tuple[Op, ...]:
    """Copy one tile, between its waits and its announcement."""
    index = {axis: t.task_index(axis) for axis in t.axes()}
    peer = t.peers.peer
    rank = peer if t.remote else None
    waits, source_tokens = t.arrival()
    enter: tuple[Wait, ...] = ()
    claim: tuple[Wait, ...] = ()
    if t.channel.by_word:
        enter = t.channel.enter(peer, t.scope.name("admitted")) if t.remote else ()
        claim = t.channel.claim(t.own_index(index), rank, t.scope.name("emptied"))
    target_tokens = tuple(wait.token for wait in (*enter, *claim))
    tile = tuple(
        TileAxis(a, t.start(a), t.schedule.exchange.extent(a), t.scope.tile_offsets(t.phase, a))
        for a in t.axes()
        if t.tile_size(a) > 1 or t.can_pass_end(a)
    )
    source = t.access(t.move.source, None, source_tokens)
    target = t.access(t.move.target, rank, target_tokens)
    ops: list[Op] = []
    if enter and analysis.loads_ahead(t.schedule, t.phase, t.move):
        ops += [Load(source, tile), *enter, Store(target, tile)]
    else:
        ops += [*waits, *enter, *claim]
        if t.feed is not None and t.feed.by_flag:
            ops.append(WaitFlags(source, tile, t.feed.value()))
        ops.append(Copy(source, target, tile, _flag(t)))
    if t.feed is not None and t.feed.by_flag and t.feed.protocol.clear == "reader":
        ops.append(ClearFlags(source, tile))
    if t.feed is not None:
        # What is freed tile by tile is read in the same tiles.
        source_peer = t.move.source.peer_axis
        ops += t.feed.release({**index, source_peer: peer} if source_peer else index)
    if t.channel.by_word and t.phase.ready.unit == "tile":
        # On a GPU the barrier behind the notify that freed the source has the stores before it too.
        ops += () if ops[-1] == Fence(after_notify=True) else (Fence(),)
        ops += t.channel.announce(t.own_index(index), peer if t.move.crosses else RANK, None)
    return tuple(ops)


def _flag(t: Transfer) -> Expr | None:
    """The flag of blocks from which a put takes them with their flags."""
    channels = (Channel(t.schedule, t.scope, p, m) for p, m in analysis.readers(t.schedule, t.move.target))
    return next((channel.value() for channel in channels if channel.by_flag), None)


def nest(
    counts: list[tuple[Sym, Expr]], first: Expr, step: Expr, body: tuple[Op, ...], about: str = ""
) -> tuple[Op, ...]:
    """One loop over all combinations of counters, the last running fastest; the counters are taken from its
    variable."""
    if not counts:
        # A single task, which the first core takes.
        return body if first == ZERO else (Loop("task", first, ONE, step, body, about),)
    if len(counts) == 1:
        return (Loop(counts[0][0].name, first, counts[0][1], step, body, about),)
    total = mul(*(count for _, count in counts))
    return (Loop("task", first, total, step, (*counters(counts, Sym("task")), *body), about),)


def counters(counts: list[tuple[Sym, Expr]], flat: Expr) -> tuple[Let, ...]:
    """Bind several counters to what one that runs over all their combinations stands for, the last running fastest."""
    rest = flat
    lets: list[Let] = []
    for position, (counter, count) in enumerate(reversed(counts)):
        outermost = position == len(counts) - 1
        lets.append(Let(counter.name, rest if outermost else rest % count))
        rest = rest // count
    return tuple(lets)
