"""Copies in tiles that the launcher chooses: rows of what lies together on both sides, whatever axes that is.

Every core first waits until the other ranks have entered the launch, once for each, and then copies without a wait
between its tasks. The tasks of all peers alternate, so that stores to the own memory go on beside those to the others.
"""

from __future__ import annotations

from a2agen.ir.expr import Const, Expr, Sym, mul
from a2agen.ir.model import Move, Phase, Schedule
from a2agen.ir.plan import Access, After, Copy, Fence, Let, Loop, Op, TileAxis
from a2agen.passes import analysis
from a2agen.passes.lower.peers import RANK, Peers, peers_of
from a2agen.passes.lower.scope import Scope
from a2agen.passes.lower.sync import Channel

PID, CORES, ONE = Sym("pid"), Sym("cores"), Const(1)


def flat_copies(schedule: Schedule, scope: Scope, phase: Phase, move: Move) -> tuple[Op, ...]:
    """The program of a move from the input to a symmetric output, up to its announcements."""
    channel = Channel(schedule, scope, phase, move)
    others = peers_of(schedule, scope, phase, move.source, "others")
    entered = _entered(scope, channel, others, move)
    about = f"{phase.name}: {move.source.name} -> {move.target.name}"
    return (*entered, *_tasks(schedule, scope, phase, move, about))


def flat_announcements(schedule: Schedule, scope: Scope, phase: Phase, move: Move) -> tuple[Op, ...]:
    """Tell the other ranks that this core has done its part; the own one knows by the end of the launch."""
    channel = Channel(schedule, scope, phase, move)
    others = peers_of(schedule, scope, phase, move.source, "others")
    told = channel.announce({"from": RANK}, others.peer, PID)
    return (Fence(), *others.loop(scope, Const(0), ONE, told))


def _entered(scope: Scope, channel: Channel, others: Peers, move: Move) -> tuple[Op, ...]:
    """Wait once for every other rank; all that is stored and announced there comes after it."""
    token = scope.name("admitted")
    waits = channel.enter(others.peer, token)
    if not waits:
        return ()
    body = (*waits, After(move.target.name, token), After(channel.region, token))
    return others.loop(scope, Const(0), ONE, body, "every other rank's memory is free for the launch")


def _tasks(schedule: Schedule, scope: Scope, phase: Phase, move: Move, about: str) -> tuple[Op, ...]:
    peers = peers_of(schedule, scope, phase, move.source, move.who)
    run, rows = analysis.flat_axes(schedule, phase, move)
    inner = run[-1]
    start = scope.sym("together start")
    starts: list[Op] = [Let(start.name, scope.sym("together tile") * scope.chosen_size(None))]
    whole = mul(*(Sym(a) for a in run))
    counts: list[tuple[Sym, Expr]] = [(scope.sym("together tile"), scope.chosen_tiles(None, whole))]
    axes = [TileAxis(inner, start, scope.run_extent(run), scope.chosen_offsets(None))]
    index: dict[str, Expr] = {**dict.fromkeys(run, Const(0)), inner: start}
    for n, axis in enumerate(reversed(rows)):
        if n == 0:
            counts.insert(0, (scope.sym("tile", axis), scope.chosen_tiles(axis, Sym(axis))))
            starts.append(Let(scope.name("start", axis), scope.sym("tile", axis) * scope.chosen_size(axis)))
            axes.insert(0, TileAxis(axis, scope.sym("start", axis), Sym(axis), scope.chosen_offsets(axis)))
            index[axis] = scope.sym("start", axis)
        else:
            counts.insert(0, (scope.sym("index", axis), Sym(axis)))
            index[axis] = scope.sym("index", axis)
    if peers.count is not None:
        counts.append((peers.counter(scope), peers.count))
    copy = Copy(
        Access(move.source.name, _index(move.source.layout.axes, index, peers.peer)),
        Access(move.target.name, _index(move.target.layout.axes, index, RANK), peers.peer),
        tuple(axes),
    )
    lets: list[Op] = []
    rest: Expr = Sym("task")
    for position, (counter, count) in enumerate(reversed(counts)):
        lets.append(Let(counter.name, rest if position == len(counts) - 1 else rest % count))
        rest = rest // count
    total = mul(*(count for _, count in counts))
    return (Loop("task", PID, total, CORES, (*lets, *peers.bind(peers.counter(scope)), *starts, copy), about),)


def _index(axes: tuple[str, ...], index: dict[str, Expr], slab: Expr) -> tuple[tuple[str, Expr], ...]:
    return tuple((axis, slab if axis in ("to", "from") else index[axis]) for axis in axes)
