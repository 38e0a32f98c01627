"""What rules and lowering both need to know of a schedule: who writes what, which protocol holds, how memory lies.

Every function works on a schedule whose names are bound; none of them judges it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from a2agen.ir.expr import Const, Expr, Sym, ceil_div, mul
from a2agen.ir.model import FROM, TO, CoreClass, Move, Phase, Role, Schedule, Storage
from a2agen.passes.protocol.table import Protocol, Row, lookup

# The number of cores of a launch, in expressions that a launcher evaluates.
CORES = Sym("cores")
HALF, SLOT = "half", "slot"
LARGEST_TILE = 8192
"""Elements of a tile on a GPU: 32 of each thread of four warps, as measured best on H200 with two programs to a
multiprocessor (16-byte accesses, 364 GB/s to a peer)."""


def moves(schedule: Schedule) -> Iterator[tuple[Phase, Move]]:
    """Every move with its phase, in order."""
    for phase in schedule.phases:
        for move in phase.moves:
            yield phase, move


def writers(schedule: Schedule, storage: Storage) -> tuple[tuple[Phase, Move], ...]:
    return schedule.moves_into(storage.name)


def readers(schedule: Schedule, storage: Storage) -> tuple[tuple[Phase, Move], ...]:
    return schedule.moves_out_of(storage.name)


def feeds(schedule: Schedule, move: Move) -> list[tuple[str, Phase, Move]]:
    """Who writes a move's source in the same launch: (pair, phase, move) for each pair of `others` and `self` that it
    moves."""
    return [(pair, p, m) for pair in move.pairs() for p, m in writers(schedule, move.source) if pair in m.pairs()]


def block_axis(schedule: Schedule) -> str | None:
    return schedule.block.axis if schedule.block else None


def at_once(schedule: Schedule, phase: Phase, move: Move) -> bool:
    """Whether a move takes whole slabs, before the block loop."""
    return schedule.block is None or (phase.tile is None and move.target.slots is None and phase.ready.unit != "block")


def slots_reused(schedule: Schedule, storage: Storage) -> bool:
    """Whether a slot of a per-block buffer holds a second block within one launch, for any admitted extents."""
    if storage.slots is None or schedule.block is None:
        return False
    held = storage.slots.count * schedule.block.size
    return schedule.exchange.bounds.above(Sym(schedule.block.axis), held) is not None


def reaches_peers(move: Move) -> bool:
    """Whether it writes to the memory of other ranks."""
    return move.crosses and move.who != "self"


def announced(schedule: Schedule, move: Move) -> bool:
    """Whether somebody in the launch must learn that a move is done: a reader of its target, or the rank it wrote
    to."""
    return bool(readers(schedule, move.target)) or (move.target.kind == "out" and reaches_peers(move))


def protocol(schedule: Schedule, phase: Phase, move: Move) -> Protocol:
    """The synchronisation that a move's announcement and its freeing stand for."""
    return row(schedule, phase, move).protocol


def row(schedule: Schedule, phase: Phase, move: Move) -> Row:
    """The row of the launch-protocol table that governs a move."""
    return lookup(
        ready=phase.ready.kind,
        ready_unit=phase.ready.unit,
        free=phase.free.kind,
        free_unit=phase.free.unit,
        rounds=schedule.rounds,
        place="out" if move.target.kind == "out" else "staging",
        slots_reused=slots_reused(schedule, move.target),
    )


def enters(schedule: Schedule, phase: Phase, move: Move) -> bool:
    """Whether a move waits for other ranks to enter the launch. The own rank has: the stream orders its launches."""
    return protocol(schedule, phase, move).enter and reaches_peers(move)


def loads_ahead(schedule: Schedule, phase: Phase, move: Move) -> bool:
    """Whether a core loads a tile before it waits for other ranks to enter the launch, and stores it after that.

    Entering frees what is stored to. What is loaded must need no wait: an input which nobody writes in the launch, and
    that no other rank can reach. A wait for a reader to empty a tile's place would lie between as well.
    """
    return (
        schedule.target.link(phase.link.name).loads_ahead
        and (move.source.kind, move.source.symmetric) == ("in", False)
        and not writers(schedule, move.source)
        and enters(schedule, phase, move)
        and not protocol(schedule, phase, move).mailbox
    )


def doubled(schedule: Schedule, phase: Phase, move: Move) -> bool:
    """Whether launches in turn use one of two sets of the words by which a phase announces a move's target.

    The next launch of another rank may be there too early. The own one is not: the stream starts it when all of this
    one has ended, so what a rank writes and reads by itself needs no second set.
    """
    same = (m for p, m in writers(schedule, move.target) if p.name == phase.name)
    return protocol(schedule, phase, move).parity and any(map(reaches_peers, same))


def counts_launches(schedule: Schedule) -> bool:
    """Whether the kernel knows how many launches each core has done."""
    announcing = [(p, m) for p, m in moves(schedule) if announced(schedule, m)]
    protocols = [protocol(schedule, p, m) for p, m in announcing]
    counted = any(p.parity or p.wait_all or p.word_value == "round" for p in protocols)
    return counted or any(enters(schedule, p, m) for p, m in announcing)


def halved(schedule: Schedule, storage: Storage) -> bool:
    """Whether a buffer is doubled, its halves used by launches in turn."""
    if storage.kind != "buffer":
        return False
    lying_in_it = (storage, *schedule.overlays_of(storage.name))
    written = [(p, m) for s in lying_in_it for p, m in writers(schedule, s) if announced(schedule, m)]
    return any(doubled(schedule, p, m) for p, m in written)


def memory_axes(schedule: Schedule, storage: Storage) -> tuple[tuple[str, Expr], ...]:
    """A storage's axes as they lie in memory, outer first, with their extents.

    An overlay has no memory of its own: these are the axes that it would have.
    """
    axes: list[tuple[str, Expr]] = []
    if halved(schedule, storage):
        axes.append((HALF, Const(2)))
    if storage.slots is not None:
        axes.append((SLOT, Const(storage.slots.count)))
    axes += [(axis, schedule.extent_in(storage, axis)) for axis in storage.layout.axes]
    return tuple(axes)


def slab_alignment(schedule: Schedule, storage: Storage) -> int:
    """The bytes of which every slab of a storage starts at a multiple, counted from the storage's own start; 0 where
    its slabs lie as they come.

    Slabs of a buffer whose outermost axis is not the peer's interleave, so none of them has a place to start at.
    """
    if storage.kind != "buffer" or storage.overlay is not None or storage.layout.axes[0] != storage.peer_axis:
        return 0
    return storage.align or schedule.target.slab_align_bytes


def flag_blocks(schedule: Schedule, storage: Storage) -> tuple[int, int] | None:
    """The elements of data in a flag block, and those of the whole block; None for a storage without such blocks."""
    block = schedule.target.flag_block
    if not storage.flagged or block is None:
        return None
    return block.payload_bytes // storage.element_bytes, block.block_bytes // storage.element_bytes


def row_elements(schedule: Schedule, storage: Storage, extent: Expr) -> Expr:
    """The elements that a row of so many takes, along the innermost axis: whole blocks where it carries flags."""
    blocks = flag_blocks(schedule, storage)
    return extent if blocks is None else ceil_div(extent, blocks[0]) * blocks[1]


def slab_unit(schedule: Schedule, storage: Storage) -> int:
    """The elements of which the distance of a storage's slabs is a multiple; 1 where it is just what a slab holds, as
    nothing aligns them or their extents do."""
    unit = slab_alignment(schedule, storage) // storage.element_bytes
    blocks = flag_blocks(schedule, storage)
    if blocks is not None and blocks[1] % max(unit, 1) == 0:
        return 1
    extents = [schedule.extent_in(storage, axis) for axis in storage.layout.axes if axis != storage.peer_axis]
    aligned = unit < 1 or any(isinstance(extent, Const) and extent.value % unit == 0 for extent in extents)
    return 1 if aligned else unit


def storage_elements(schedule: Schedule, storage: Storage) -> Expr:
    """How many elements a storage takes, what lies between aligned slabs included."""
    extents = [extent for _, extent in memory_axes(schedule, storage)]
    extents[-1] = row_elements(schedule, storage, extents[-1])
    unit = slab_unit(schedule, storage)
    if unit == 1:
        return mul(*extents)
    outer = len(extents) - len(storage.layout.axes) + 1
    return mul(*extents[:outer], ceil_div(mul(*extents[outer:]), unit), unit)


def storage_bytes(schedule: Schedule, storage: Storage) -> Expr:
    """Bytes of a storage in one rank's memory, over the extents; 0 for an overlay."""
    if storage.overlay is not None:
        return Const(0)
    return storage_elements(schedule, storage) * storage.element_bytes


def puts(schedule: Schedule, phase: Phase) -> bool:
    """Whether a phase's link is an engine that cores hand requests to."""
    link = schedule.target.links.get(phase.link.name)
    return link is not None and link.kind == "put"


def shares_requests(schedule: Schedule, phase: Phase) -> bool:
    """Whether the cores of a role share what goes to one peer: single runs of a slab, dealt out to all of them."""
    return puts(schedule, phase) and phase.link.split and not phase.role.per_peer


def leaves_node(schedule: Schedule, phase: Phase) -> bool:
    """Whether a phase's link also reaches ranks whose memory has no address here. Its words must then go as far."""
    link = schedule.target.links.get(phase.link.name)
    return link is not None and link.leaves_node


def within_node(schedule: Schedule) -> tuple[Phase, ...]:
    """The phases that write to other ranks over a link that reaches those of one node only."""
    crossing = dict.fromkeys(phase for phase, move in moves(schedule) if reaches_peers(move))
    return tuple(phase for phase in crossing if not leaves_node(schedule, phase))


def several_nodes(schedule: Schedule) -> bool:
    """Whether the ranks of a schedule may be on several nodes: it has a link that leaves its node, and none between
    ranks that does not."""
    return any(leaves_node(schedule, phase) for phase in schedule.phases) and not within_node(schedule)


def completion(phase: Phase) -> Literal["each", "end"]:
    """When puts are completed: before every announcement, or once before the kernel ends."""
    return phase.link.complete or ("end" if phase.ready.kind in ("signal", "flag") else "each")


def quiets_by_queue(schedule: Schedule) -> bool:
    """Whether a quiet of the library completes the puts to one peer on one queue, not all of a core's."""
    return "queue_quiet" in schedule.target.backend(schedule.emit).capabilities


def uses_barrier(schedule: Schedule) -> bool:
    """Whether the kernel contains a device barrier."""
    if any(p.ready.kind == "barrier" for p in schedule.phases):
        return True
    return any(protocol(schedule, p, m).start_barrier for p, m in moves(schedule) if announced(schedule, m))


def launch_cores(schedule: Schedule) -> int:
    """How many cores a launch has: the spec's number, or the profile's.

    Where the host moves all data, the cores only announce and wait: one for each rank.
    """
    if schedule.cores:
        return schedule.cores
    cores = schedule.target.cores_for(barrier=uses_barrier(schedule))
    if of_host(schedule):
        return min(cores, next(e.hi for e in schedule.exchange.bounds.extents if e.name == schedule.exchange.ranks))
    return cores


def of_host(schedule: Schedule) -> bool:
    """Whether the host moves all data, between an entry and an exit kernel."""
    return {phase.role.cores for phase in schedule.phases} == {"host"}


def class_lanes(cores: Expr, kind: CoreClass) -> Expr:
    """How many of `cores` cores are in a class; the even class has one more where their number is odd."""
    return {"all": cores, "even": ceil_div(cores, 2), "odd": cores // 2, "host": Const(0)}[kind]


def queues(schedule: Schedule, role: Role) -> int:
    """Queues to each peer that a role's phases use."""
    return max((p.link.queues for p in schedule.phases if p.role.name == role.name), default=1)


def peer_lanes(schedule: Schedule, role: Role) -> Expr:
    """How many cores a role that is one per peer takes when its class has enough."""
    return (Sym(schedule.exchange.ranks) - 1) * queues(schedule, role)


def role_lanes(schedule: Schedule, role: Role, cores: Expr = CORES) -> Expr:
    """How many cores share a role's tasks, for a role that is not one per peer."""
    lanes = class_lanes(cores, role.cores)
    if role.rest_of is not None:
        leader = next(r for r in schedule.roles if r.name == role.rest_of)
        return lanes - peer_lanes(schedule, leader)
    return lanes


def tile_count(schedule: Schedule, phase: Phase, axis: str) -> Expr:
    """How many tiles a phase has along an axis: of one block along the block axis, of the whole extent along any
    other."""
    size = phase.tile.size(axis) if phase.tile else 1
    block = schedule.block_size(axis)
    if block is not None:
        return Const(-(-block // size))
    return ceil_div(schedule.exchange.extent(axis), size)


def broken_run(schedule: Schedule, phase: Phase, move: Move) -> tuple[Storage, str] | None:
    """Where a put's piece is not one run of memory: the storage and the axis that cuts it. None where it is one run."""
    whole = at_once(schedule, phase, move)
    orders = []
    for storage in (move.source, move.target):
        inner_is_whole, order = True, list[str]()
        for axis in reversed(storage.layout.axes):
            if axis == storage.peer_axis:
                inner_is_whole = False
                continue
            if _always_one(schedule, axis):
                continue
            if not inner_is_whole:
                return storage, next(a for a in storage.layout.axes[storage.layout.axes.index(axis) + 1 :])
            order.append(axis)
            if not whole and axis == block_axis(schedule):
                inner_is_whole = False
        orders.append(order)
    return None if orders[0] == orders[1] else (move.target, move.target.layout.axes[-1])


def common_run(schedule: Schedule, phase: Phase, move: Move) -> list[str]:
    """The innermost axes that one request of `split` takes: one run of memory on both sides.

    Of a strided tensor only the axes of one dimension lie together, each stride being the caller's.
    """
    run: list[str] = []
    dimensions = [s.layout.factors[-1] for s in (move.source, move.target) if s.strided]
    for axis, other in zip(reversed(move.source.layout.axes), reversed(move.target.layout.axes), strict=False):
        if axis != other or any(axis not in dimension for dimension in dimensions):
            break
        run.insert(0, axis)
        if axis == block_axis(schedule) and not at_once(schedule, phase, move):
            break
    return run


def launcher_tiles(schedule: Schedule, phase: Phase) -> bool:
    """Whether the launcher chooses the tiles of a phase, by the shape: one on a GPU that names none, and whose tiles
    nobody else needs to know."""
    link = schedule.target.links.get(phase.link.name)
    return (
        schedule.target.vendor == "nvidia"
        and link is not None
        and link.kind == "load_store"
        and link.costs is not None
        and phase.tile is None
        and schedule.block is None
        and phase.role.cores == "all"
        and not phase.role.per_peer
        and (phase.ready.kind, phase.ready.unit) == ("notify", "peer")
        and (phase.free.kind, phase.free.unit) == ("credit", "peer")
        and [(m.source.kind, m.target.kind, m.who) for m in phase.moves] == [("in", "out", "all")]
        and bool(common_run(schedule, phase, phase.moves[0]))
    )


def flat_axes(schedule: Schedule, phase: Phase, move: Move) -> tuple[list[str], list[str]]:
    """The axes of a move that lie together on both sides, and those around them without the peers', outer first."""
    run = common_run(schedule, phase, move)
    return run, [a for a in move.source.layout.axes if a not in (TO, FROM, *run)]


def most_tasks(schedule: Schedule, phase: Phase) -> Expr:
    """At least as many tasks as a phase has on a rank, over the extents."""
    ranks = Sym(schedule.exchange.ranks)
    if launcher_tiles(schedule, phase):
        run, rows = flat_axes(schedule, phase, phase.moves[0])
        return mul(ranks, *(Sym(a) for a in rows), ceil_div(mul(*(Sym(a) for a in run)), LARGEST_TILE))
    axes = [axis for axis in schedule.exchange.source.layout.axes if axis not in (TO, FROM)]
    return mul(ranks, *(tile_count(schedule, phase, axis) for axis in axes))


def row_axes(schedule: Schedule) -> list[str]:
    """The axes of which cores copy rows: all that lie together where the bounds fix them and the launcher chooses the
    tiles, else the innermost one."""
    innermost = [schedule.source.layout.axes[-1]]
    tuned = next((p for p in schedule.phases if not schedule.poisoned and launcher_tiles(schedule, p)), None)
    if tuned is None:
        return innermost
    run = common_run(schedule, tuned, tuned.moves[0])
    return run if all(fixed_extent(schedule, axis) is not None for axis in reversed(run)) else innermost


def fixed_extent(schedule: Schedule, axis: str) -> int | None:
    """The one value that the bounds leave an axis, those of `where` included; None where they leave it several."""
    bounds = schedule.exchange.bounds
    low = bounds.extent(axis).lo
    return low if bounds.above(Sym(axis), low) is None else None


def _always_one(schedule: Schedule, axis: str) -> bool:
    return schedule.exchange.bounds.extent(axis).hi == 1
