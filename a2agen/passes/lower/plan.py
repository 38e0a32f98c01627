"""The whole plan of a schedule: the programs of its core classes, what all cores share, and the host program."""

from __future__ import annotations

from a2agen.ir.expr import Const, Expr, Sym
from a2agen.ir.model import Phase, Role, Schedule
from a2agen.ir.plan import (
    Barrier,
    CoreClass,
    EpochAfter,
    EpochLoad,
    Kernel,
    Launch,
    Let,
    Loop,
    Notify,
    Op,
    Part,
    Plan,
    Wait,
    Word,
)
from a2agen.passes import analysis, words
from a2agen.passes.lower.completion import at_end, before_barrier, flat
from a2agen.passes.lower.counting import count_launch
from a2agen.passes.lower.host import before_launch, host_program
from a2agen.passes.lower.memories import memories
from a2agen.passes.lower.parts import part
from a2agen.passes.lower.peers import RANK, peers_of
from a2agen.passes.lower.scope import Scope
from a2agen.passes.lower.sync import EPOCH, Channel, slot_of, together
from a2agen.passes.lower.transfer import transfers

ZERO, ONE = Const(0), Const(1)
PID, CORES = Sym("pid"), Sym("cores")


def lower(schedule: Schedule) -> Plan:
    """The plan of a schedule that `lint` found sound and `unlowered` has nothing against."""
    scope = Scope(schedule)
    channels = [Channel(schedule, scope, p, m) for p, m in analysis.moves(schedule) if analysis.announced(schedule, m)]
    entering = [c for c in channels if analysis.enters(schedule, c.phase, c.move)]
    uses_epochs = analysis.counts_launches(schedule)
    if analysis.of_host(schedule):
        kernels, host = host_program(schedule, scope, channels)
    else:
        kernels = (_kernel(schedule, scope, channels, entering, uses_epochs),)
        host = (*before_launch(channels), Launch(kernels[0].name))
    return Plan(
        schedule=schedule,
        memories=memories(schedule, scope),
        words=words.all_words(schedule),
        constants=scope.ordered_constants(),
        tuned=tuple((name, scope.tuned[name]) for name, _ in scope.ordered_constants() if name in scope.tuned),
        offsets=tuple(scope.offsets.values()),
        counts=tuple(scope.counts.values()),
        cores=analysis.launch_cores(schedule),
        kernels=kernels,
        host=host,
        uses_epochs=uses_epochs,
    )


def _kernel(
    schedule: Schedule, scope: Scope, channels: list[Channel], entering: list[Channel], uses_epochs: bool
) -> Kernel:
    """The one kernel of a schedule whose cores move the data."""
    protocols = [c.protocol for c in channels]
    classes = _classes(schedule, scope)
    prologue: list[Op] = []
    epilogue: list[Op] = []
    if uses_epochs:
        prologue.append(EpochLoad(EPOCH.name))
    if any(analysis.doubled(schedule, c.phase, c.move) for c in channels):
        prologue.append(Let("half", EPOCH % 2))
    if any(p.start_barrier for p in protocols):
        prologue.append(Barrier())
    if entering:
        prologue += _enter(schedule, scope, entering)
    for channel in channels:
        if channel.protocol.wait_all:
            epilogue += _wait_all(schedule, scope, channel)
    if uses_epochs:
        epilogue += count_launch(schedule, prologue, classes, epilogue)
    return Kernel(f"{schedule.exchange.name}_{schedule.name}", tuple(prologue), classes, tuple(epilogue))


def _enter(schedule: Schedule, scope: Scope, channels: list[Channel]) -> tuple[Op, ...]:
    """Tell every rank that this one has entered the launch: what it held for them is free."""
    moves = [(c.phase, c.move) for c in channels]
    phase, move = moves[0]
    flat = all(analysis.launcher_tiles(schedule, p) for p, _ in moves)
    who = "all" if any(m.who == "all" for _, m in moves) and not flat else "others"
    peers = peers_of(schedule, scope, phase, move.source, who)  # type: ignore[arg-type]
    afar = any(analysis.leaves_node(schedule, p) for p, _ in moves)
    notify = Notify(Word(words.ENTERED, (("from", RANK),)), peers.peer, EPOCH, between_nodes=afar)
    return peers.loop(scope, PID, CORES, (notify,), "this rank's memory is free for the launch")


def _wait_all(schedule: Schedule, scope: Scope, channel: Channel) -> tuple[Op, ...]:
    """Wait for every announcement to this rank; the cores share the waiting."""
    phase, move = channel.phase, channel.move
    region = words.phase_words(schedule, phase, move)
    # What the own rank stores is there when the launch ends.
    who = "others" if analysis.launcher_tiles(schedule, phase) else move.who
    peers = peers_of(schedule, scope, phase, move.target, who)
    index: dict[str, Expr] = {"from": peers.peer}
    loops: list[tuple[str, Expr]] = []
    for axis, _ in region.axes:
        if axis not in ("from", words.LANE, words.QUEUE):
            tiled = phase.tile is not None and phase.tile.size(axis) > 1
            variable = scope.name("blk") if axis == words.BLOCK else scope.name("tile" if tiled else "index", axis)
            loops.append((variable, scope.blocks() if axis == words.BLOCK else scope.tiles(phase, axis)))
            index[axis] = Sym(variable)
    token = scope.name("arrived")
    body: tuple[Op, ...] = (Wait(channel.word(index, None), channel.complete(), token),)
    for variable, count in reversed(loops):
        body = (Loop(variable, ZERO, count, ONE, body),)
    loop = peers.loop(scope, PID, CORES, body, f"every row of {move.target.name} has arrived")
    return (*together(token, loop), EpochAfter(EPOCH.name, token))


def _classes(schedule: Schedule, scope: Scope) -> tuple[CoreClass, ...]:
    """The programs of all cores: those of no role take part in barriers all the same."""
    kinds = ("all",) if all(r.cores == "all" for r in schedule.roles) else ("even", "odd")
    classes = []
    for kind in kinds:
        roles = [r for r in schedule.roles if r.cores == kind and any(p.role == r for p in schedule.phases)]
        rest = next((r for r in roles if r.rest_of is not None), None)
        lanes = analysis.class_lanes(CORES, kind)  # type: ignore[arg-type]
        if rest is None:
            parts: tuple[Part, ...] = (Part(tuple(r.name for r in roles), _program(schedule, scope, roles)),)
        else:
            leader = next(r for r in schedule.roles if r.name == rest.rest_of)
            taken = analysis.peer_lanes(schedule, leader)
            lane, lanes_name = (PID, CORES) if kind == "all" else (Sym("lane"), Sym("lanes"))
            shift: tuple[Let, ...] = (Let(scope.name("lane", rest.name), lane - taken),)
            if not words.lanes_counted(schedule, rest):
                shift += (Let(scope.name("lanes", rest.name), lanes_name - taken),)
            others = [r for r in roles if r != rest]
            parts = (
                Part(tuple(r.name for r in others), _program(schedule, scope, others), first=taken),
                Part((rest.name,), (*shift, *_program(schedule, scope, [rest])), rest=taken),
            )
        classes.append(CoreClass(kind, lanes, parts))  # type: ignore[arg-type]
    return tuple(classes)


def _program(schedule: Schedule, scope: Scope, roles: list[Role]) -> tuple[Op, ...]:
    """What the cores of some roles do: slabs first, then block by block, then what is announced at the end."""
    before: list[Op] = []
    ahead: list[Op] = []
    behind: list[Op] = []
    after: list[Op] = []
    moved = [
        t for p in schedule.phases if p.role in roles for move in p.moves for t in transfers(schedule, scope, p, move)
    ]
    for transfer in moved:
        piece = part(transfer)
        before += piece.before
        (behind if _reads_behind_barrier(schedule, transfer.phase) else ahead).extend(piece.inside)
        after += piece.after
    block = [*ahead, *behind]
    if any(p.ready.kind == "barrier" for p in schedule.phases):
        whole = [t for t in moved if t.whole and schedule.block is not None]
        before += before_barrier(schedule, whole, before)
        quiets = before_barrier(schedule, [t for t in moved if t not in whole], ahead)
        block = [*ahead, *quiets, Barrier(), *behind]
    if schedule.block is not None and block:
        slots = {s.slots.count for s in schedule.buffers if s.slots is not None}
        used = [Let(slot_of(schedule, scope, n).name, scope.sym("blk") % n) for n in sorted(slots)]
        used = [let for let in used if _mentions(block, let.name)]
        block = [Loop(scope.name("blk"), ZERO, scope.blocks(), ONE, (*used, *_once(block)))]
    return (*before, *block, *after, *at_end(schedule, moved))


def _once(ops: list[Op]) -> list[Op]:
    """The operations of one level, without values that are bound already."""
    kept: list[Op] = []
    for op in ops:
        if isinstance(op, Let) and op == next((b for b in reversed(flat(kept)) if _binds(b, op.name)), None):
            continue
        kept.append(op)
    return kept


def _binds(op: Op, name: str) -> bool:
    return isinstance(op, Let) and op.name == name


def _reads_behind_barrier(schedule: Schedule, phase: Phase) -> bool:
    feeds = (p for move in phase.moves for _, p, _ in analysis.feeds(schedule, move))
    return any(p.ready.kind == "barrier" for p in feeds)


def _mentions(ops: list[Op], name: str) -> bool:
    return f"Sym(name={name!r})" in repr(ops)
