"""What the launcher does for each launch, and the two kernels between which it issues copies itself."""

from __future__ import annotations

from typing import Literal

from a2agen.ir.expr import Const, Expr, Sym
from a2agen.ir.model import Move, Phase, Schedule
from a2agen.ir.plan import (
    Access,
    Clear,
    CoreClass,
    EpochAfter,
    EpochLoad,
    Fork,
    HostBarrier,
    HostCopy,
    HostOp,
    Join,
    Kernel,
    Launch,
    Notify,
    Op,
    Part,
    Synchronize,
    Word,
)
from a2agen.passes import analysis, words
from a2agen.passes.lower.counting import count_launch
from a2agen.passes.lower.peers import RANK, peers_of
from a2agen.passes.lower.scope import Scope
from a2agen.passes.lower.sync import EPOCH, Channel, together

PID, CORES = Sym("pid"), Sym("cores")
ONE = Const(1)


def before_launch(channels: list[Channel]) -> tuple[HostOp, ...]:
    """What comes before a launch, by the rows of all phases together."""
    ops: list[HostOp] = []
    announcing = [c for c in channels if c.by_word]
    cleared = tuple(dict.fromkeys(c.region for c in announcing if c.protocol.clear == "launcher"))
    if cleared:
        ops.append(Clear(cleared))
    if any(c.protocol.host for c in channels):
        ops += [Synchronize(), HostBarrier()]
    return tuple(ops)


def host_program(
    schedule: Schedule, scope: Scope, channels: list[Channel]
) -> tuple[tuple[Kernel, ...], tuple[HostOp, ...]]:
    """The kernels and the host program of a schedule whose data the host moves.

    The own rank's copy needs no word: the stream orders it. So both kernels speak with the other ranks alone.
    """
    name = f"{schedule.exchange.name}_{schedule.name}"
    # One move alone goes to the other ranks, and outputs are read by no phase.
    (channel,) = channels
    kernels: list[Kernel] = []
    if channel.protocol.enter:
        kernels.append(_kernel(schedule, f"{name}_entry", "entry", _enter(schedule, scope, channel)))
    launch_entry = tuple(Launch(kernel.name) for kernel in kernels)
    kernels.append(_kernel(schedule, f"{name}_exit", "exit", _leave(schedule, scope, channel)))
    streams = Sym(schedule.exchange.ranks)
    copies = tuple(_copy(schedule, scope, phase, move) for phase, move in analysis.moves(schedule))
    # Behind the host barrier the stream is empty, so that there is nothing to fork from.
    fork = () if channel.protocol.host else (Fork(streams),)
    copying = (*launch_entry, *fork, *copies, Join(streams))
    return tuple(kernels), (*before_launch(channels), *copying, Launch(kernels[-1].name))


def _kernel(schedule: Schedule, name: str, side: Literal["entry", "exit"], body: tuple[Op, ...]) -> Kernel:
    """A kernel whose cores share the ranks; its launch ends when what it waits for has come."""
    prologue = (EpochLoad(EPOCH.name),)
    classes = (CoreClass("all", CORES, (Part((), body),)),)
    return Kernel(name, prologue, classes, count_launch(schedule, prologue, classes, ()), side)


def _enter(schedule: Schedule, scope: Scope, channel: Channel) -> tuple[Op, ...]:
    """Tell the other ranks that this one has entered the launch, and wait until they have."""
    told = peers_of(schedule, scope, channel.phase, channel.move.source, "others")
    heard = peers_of(schedule, scope, channel.phase, channel.move.target, "others")
    notify = Notify(Word(words.ENTERED, (("from", RANK),)), told.peer, EPOCH)
    token = scope.name("admitted")
    waits = heard.loop(scope, PID, CORES, channel.enter(heard.peer, token), "and so is that of the others")
    return (
        *told.loop(scope, PID, CORES, (notify,), "this rank's memory is free for the launch"),
        *together(token, waits),
        EpochAfter(EPOCH.name, token),
    )


def _leave(schedule: Schedule, scope: Scope, channel: Channel) -> tuple[Op, ...]:
    """Announce what has been copied to the other ranks, and wait for what they announce."""
    told = peers_of(schedule, scope, channel.phase, channel.move.source, "others")
    heard = peers_of(schedule, scope, channel.phase, channel.move.target, "others")
    target = channel.move.target.name
    token = scope.name("arrived")
    notify = channel.announce({"from": RANK}, told.peer, None)
    awaited = channel.await_({"from": heard.peer}, token)
    waits = heard.loop(scope, PID, CORES, awaited, f"every row of {target} has arrived")
    return (
        *told.loop(scope, PID, CORES, notify, f"this rank's rows of {target} have been copied"),
        *together(token, waits),
        EpochAfter(EPOCH.name, token),
    )


def _copy(schedule: Schedule, scope: Scope, phase: Phase, move: Move) -> HostCopy:
    """A move's copies, each on the side stream of its number; the own slab's alone on the last one."""
    peers = peers_of(schedule, scope, phase, move.source, move.who)
    to_self = peers.count is None
    counter = peers.counter(scope)
    count = ONE if peers.count is None else peers.count
    nth: Expr = RANK if to_self else peers.nth(counter)
    who = "" if move.who == "all" else f" for {move.who}"
    axes = [a for a in move.source.layout.axes if a != move.source.peer_axis]
    return HostCopy(
        counter=None if to_self else counter.name,
        count=count,
        peer=peers.variable.name,
        nth=nth,
        source=Access(move.source.name, _index(move.source.layout.axes, peers.variable)),
        target=Access(move.target.name, _index(move.target.layout.axes, RANK), peers.variable),
        extents=tuple((axis, schedule.exchange.extent(axis)) for axis in axes),
        stream=peers.ranks - 1 if to_self else counter,
        about=f"{phase.name}: {move.source.name} -> {move.target.name}{who}",
    )


def _index(axes: tuple[str, ...], slab: Expr) -> tuple[tuple[str, Expr], ...]:
    return tuple((axis, slab if axis in ("to", "from") else Const(0)) for axis in axes)
