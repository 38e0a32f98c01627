"""Copies in tiles that the launcher chooses: rows of what lies together on both sides, whatever axes that is.

Every core waits once for each of the other ranks until it has entered the launch, and copies without a wait between its
tasks. Where a load can be under way during a wait, the core's first one is. The tasks of all peers alternate, so that
stores to the own memory go on beside those to the others.
"""

from __future__ import annotations

from a2agen.ir.expr import Const, Expr, Max, Sym, mul
from a2agen.ir.model import Move, Phase, Schedule
from a2agen.ir.plan import Access, After, Aim, Copy, Fence, Let, Load, Loop, Op, Store, TileAxis, When
from a2agen.passes import analysis
from a2agen.passes.lower.peers import RANK, peers_of
from a2agen.passes.lower.scope import Scope
from a2agen.passes.lower.sync import Channel, together

PID, CORES, ONE = Sym("pid"), Sym("cores"), Const(1)
TASK = Sym("task")
FREE = "every other rank's memory is free for the launch"


def flat_copies(schedule: Schedule, scope: Scope, phase: Phase, move: Move) -> tuple[Op, ...]:
    """The program of a move from the input to a symmetric output, up to its announcements."""
    lets, copy, total = _task(schedule, scope, phase, move)
    about = f"{phase.name}: {move.source.name} -> {move.target.name}"
    if not analysis.loads_ahead(schedule, phase, move):
        return (*_entered(schedule, scope, phase, move, FREE), Loop(TASK.name, PID, total, CORES, (*lets, copy), about))
    # A core must not announce a launch that a peer has not entered, so one without a task waits too: in an empty one.
    # The launcher starts no more cores than there are tasks; a launch by another number must be right as well.
    about = f"{about}, and an empty task for a core without one"
    entered = _entered(schedule, scope, phase, move, aimed=True)
    first = When(TASK.name, PID, entered, f"before the first store: {FREE}")
    body = (*lets, Load(copy.source, copy.tile), Aim(copy.target), first, Store(copy.target, copy.tile, aimed=True))
    return (Loop(TASK.name, PID, Max(total, CORES), CORES, body, about),)


def flat_announcements(schedule: Schedule, scope: Scope, phase: Phase, move: Move) -> tuple[Op, ...]:
    """Tell the other ranks that this core has done its part; the own one knows by the end of the launch."""
    channel = Channel(schedule, scope, phase, move)
    others = peers_of(schedule, scope, phase, move.source, "others")
    told = channel.announce({"from": RANK}, others.peer, PID)
    return (Fence(), *others.loop(scope, Const(0), ONE, told))


def _entered(
    schedule: Schedule, scope: Scope, phase: Phase, move: Move, about: str = "", aimed: bool = False
) -> tuple[Op, ...]:
    """Wait once for every other rank; all that is stored and announced there comes after it.

    The loop's names are its own, since a task that it stands in has a peer already. `aimed`: so has the address of its
    store.
    """
    channel = Channel(schedule, scope, phase, move)
    others = peers_of(schedule, scope, phase, move.source, "others")
    assert others.count is not None
    nth, other, token = scope.sym("nth"), scope.sym("other"), scope.name("admitted")
    body = (Let(other.name, others.nth(nth)), *channel.enter(other, token))
    loop = Loop(nth.name, Const(0), others.count, ONE, body, about)
    # Of a core whose task is empty, the announcement alone depends on the wait. It follows it without the token too (in
    # the memory model a notify comes after every wait before it, in PTX both keep their order); here the data says so.
    return (*together(token, (loop,)), After(move.target.name, token, aimed), After(channel.region, token))


def _task(schedule: Schedule, scope: Scope, phase: Phase, move: Move) -> tuple[tuple[Op, ...], Copy, Expr]:
    """What a task binds and copies, and how many there are. One past the last copies nothing."""
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
    if len(rows) > 1 and analysis.loads_ahead(schedule, phase, move):
        # The outermost counter alone runs past its end.
        axes.insert(0, TileAxis(rows[0], scope.sym("index", rows[0]), Sym(rows[0]), None))
    if peers.count is not None:
        counts.append((peers.counter(scope), peers.count))
    copy = Copy(
        Access(move.source.name, _index(move.source.layout.axes, index, peers.peer)),
        Access(move.target.name, _index(move.target.layout.axes, index, RANK), peers.peer),
        tuple(axes),
    )
    lets: list[Op] = []
    rest: Expr = TASK
    for position, (counter, count) in enumerate(reversed(counts)):
        lets.append(Let(counter.name, rest if position == len(counts) - 1 else rest % count))
        rest = rest // count
    return (*lets, *peers.bind(peers.counter(scope)), *starts), copy, mul(*(count for _, count in counts))


def _index(axes: tuple[str, ...], index: dict[str, Expr], slab: Expr) -> tuple[tuple[str, Expr], ...]:
    return tuple((axis, slab if axis in ("to", "from") else index[axis]) for axis in axes)
