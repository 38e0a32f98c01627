"""The signal words that a schedule needs: what each is for, and how they are indexed."""

from __future__ import annotations

from a2agen.ir.expr import Const, Expr, Sym, add, ceil_div, mul
from a2agen.ir.model import Move, Phase, Role, Schedule
from a2agen.ir.signals import Words
from a2agen.passes import analysis

ENTERED = "entered"
BLOCK, LANE, QUEUE = "block", "lane", "queue"
# What `ready` announces by words: the core sets them, or the put brings them along.
BY_WORD = ("notify", "signal")


def words_name(schedule: Schedule, phase: Phase, move: Move) -> str:
    """The words of a phase's announcements; named after the target too where the phase announces several.

    They are arguments of the kernel, so they give way to the names that the spec itself gives to others.
    """
    kind = "full" if analysis.protocol(schedule, phase, move).mailbox else "ready"
    other = any(m.target.name != move.target.name and analysis.announced(schedule, m) for m in phase.moves)
    name = f"{phase.name}_{move.target.name}_{kind}" if other else f"{phase.name}_{kind}"
    while schedule.names(name):
        name += "_"
    return name


def adds(schedule: Schedule) -> bool:
    """Whether several cores announce by adding to one word."""
    return "notify_add" in schedule.target.backend(schedule.emit).capabilities


def several_announce(schedule: Schedule, phase: Phase) -> bool:
    """Whether more than one core has a part in one announcement. A put of a whole slab or block is one core's."""
    if phase.ready.unit not in ("block", "peer") or phase.role.per_peer or phase.role.cores == "host":
        return False
    return not analysis.puts(schedule, phase) or analysis.shares_requests(schedule, phase)


def lanes_counted(schedule: Schedule, role: Role) -> bool:
    """Whether words or their values depend on how many cores a role has, so that other roles need the number too."""
    phases = [
        p for p in schedule.phases if p.role == role and p.ready.kind == "notify" and several_announce(schedule, p)
    ]
    return any(analysis.announced(schedule, move) for phase in phases for move in phase.moves)


def phase_words(schedule: Schedule, phase: Phase, move: Move) -> Words:
    """The words by which a move is announced, at the rank that holds its target."""
    row = analysis.protocol(schedule, phase, move)
    doubled = analysis.doubled(schedule, phase, move)
    axes: list[tuple[str, Expr]] = [(analysis.HALF, Const(2))] if doubled else []
    if phase.ready.unit in ("tile", "block") and schedule.block is not None:
        slots = move.target.slots
        if row.mailbox and slots is not None:
            axes.append((analysis.SLOT, Const(slots.count)))
        else:
            extent = schedule.exchange.extent(schedule.block.axis)
            axes.append((BLOCK, ceil_div(extent, schedule.block.size)))
    if phase.ready.unit == "tile":
        layout = [a for a in move.target.layout.axes if a != move.target.peer_axis]
        axes += [(a, count) for a in layout if (count := analysis.tile_count(schedule, phase, a)) != Const(1)]
    peer = move.target.peer_axis
    if peer is not None:
        axes.append((peer, Sym(schedule.exchange.ranks)))
    if several_announce(schedule, phase) and not adds(schedule):
        axes.append((LANE, analysis.role_lanes(schedule, phase.role)))
    if phase.link.queues > 1:
        axes.append((QUEUE, Const(phase.link.queues)))
    value = "1 full, 0 empty" if row.mailbox else ("the epoch" if row.word_value == "round" else "1")
    if several_announce(schedule, phase) and adds(schedule):
        value = f"{value}, from each core"
    return Words(
        name=words_name(schedule, phase, move),
        axes=tuple(axes),
        about=f"{value}: {move.target.name} from {phase.name}, per {phase.ready.unit}",
        cleared=row.host and not row.mailbox,
    )


def all_words(schedule: Schedule) -> tuple[Words, ...]:
    """Every region of signal words of a schedule, in the order in which phases announce."""
    regions: dict[str, Words] = {}
    enter = False
    for phase, move in analysis.moves(schedule):
        if analysis.announced(schedule, move):
            if phase.ready.kind in BY_WORD:
                region = phase_words(schedule, phase, move)
                regions[region.name] = region
            enter = enter or analysis.enters(schedule, phase, move)
    if enter:
        axes = (("from", Sym(schedule.exchange.ranks)),)
        regions[ENTERED] = Words(ENTERED, axes, "the epoch that a rank has entered, so that its memory may be written")
    return tuple(regions.values())


def word_count(region: Words) -> Expr:
    return mul(*(extent for _, extent in region.axes))


def signal_bytes(schedule: Schedule) -> Expr:
    """Bytes of all signal words, over the extents; a lane axis counts every core of the launch."""
    cores = Const(analysis.launch_cores(schedule))
    counts = (mul(*(cores if a == LANE else e for a, e in region.axes)) for region in all_words(schedule))
    return add(*counts) * schedule.target.signal_stride_bytes
