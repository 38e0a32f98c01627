"""How much on-chip memory a kernel takes: a prediction from its tiles, before any compiler has seen it.

A copy loads a tile and stores it. Measured with bishengir-compile 1.2.0, down to its plan of on-chip memory:
each loop over tiles has two buffers, so that the next load runs beside the store, and each row of a tile starts
at a multiple of 32 bytes. Buffers lie one behind the other in the order of the loops. One that finds no more room
shares a place with others, since loops of a core do not run at the same time. For 910B and 910C the compiler falls
back to one buffer for every loop where two of the largest do not fit, for 950 it gives up.

Requests of the UDMA engine are built in a fixed place of the same memory. The compiler does not know of it, so
the buffers of all loops together must end below.

Kernels in Ascend C lay out that memory themselves: two buffers for pieces of tiles, which all loops share, what flags
are stored from, and a place for requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from a2agen.ir.model import Move, Phase, Schedule, Tile
from a2agen.passes import analysis
from a2agen.targets.profile import Profile

BUFFERS = 2


@dataclass(frozen=True, slots=True)
class TileMemory:
    """One buffer of a tile: `rows` of `row_bytes`, alignment included."""

    rows: int
    row_bytes: int

    @property
    def bytes(self) -> int:
        return self.rows * self.row_bytes

    def __str__(self) -> str:
        return f"{self.rows} rows * {self.row_bytes} bytes"


def tile_memory(schedule: Schedule, tile: Tile, move: Move) -> TileMemory:
    """A buffer for a move's tile.

    Ascend C moves it in pieces: rows along one axis, of runs along the axis that both sides have innermost.

    A row runs along the innermost tiled axis of the source. Where its elements do not lie side by side on both sides,
    some targets give each a row of its own.
    """
    profile = schedule.target
    if schedule.emit == "ascendc":
        return _piece(profile, tile, move)
    elements = 1
    for _, size in tile.sizes:
        elements *= size
    tiled = [axis for axis in move.source.layout.axes if tile.size(axis) > 1]
    inner = tiled[-1] if tiled else None
    row = tile.size(inner) if inner else 1
    if profile.scattered_rows and any(storage.layout.axes[-1] != inner for storage in (move.source, move.target)):
        row = 1
    aligned = -(-row * move.source.element_bytes // profile.row_align_bytes) * profile.row_align_bytes
    return TileMemory(elements // row, aligned)


def _piece(profile: Profile, tile: Tile, move: Move) -> TileMemory:
    sides = (move.source, move.target)
    ends = {storage.layout.axes[-1] for storage in sides if not storage.strided}
    run = next(iter(ends)) if len(ends) == 1 and not any(storage.strided for storage in sides) else None
    length = tile.size(run) if run is not None else 1
    rows = [1] if any(storage.flagged for storage in sides) else [1, *(n for axis, n in tile.sizes if axis != run)]
    aligned = -(-length * move.source.element_bytes // profile.row_align_bytes) * profile.row_align_bytes
    return TileMemory(max(rows), aligned)


def flag_bytes(schedule: Schedule) -> int:
    """Bytes on chip from which a kernel in Ascend C stores flags: those of a piece, for setting and for clearing."""
    block = schedule.target.flag_block
    if schedule.emit != "ascendc" or block is None:
        return 0
    blocks, sets, clears = 0, False, False
    for phase, move in analysis.moves(schedule):
        if phase.tile is not None and (move.source.flagged or move.target.flagged):
            length = phase.tile.size(move.source.layout.axes[-1]) * move.source.element_bytes
            blocks = max(blocks, -(-length // block.payload_bytes))
            sets = sets or move.target.flagged
            clears = clears or (move.source.flagged and schedule.rounds == "reset")
    return blocks * block.flag_bytes * (sets + clears)


def loops(schedule: Schedule) -> Iterator[tuple[Phase, TileMemory]]:
    """The loops over tiles of a kernel, with a buffer of each: a move has one for each phase that feeds it."""
    for phase, move in analysis.moves(schedule):
        if phase.tile is not None and phase.role.cores != "host":
            feeding = {p.name for _, p, _ in analysis.feeds(schedule, move)}
            for _ in range(max(1, len(feeding))):
                yield phase, tile_memory(schedule, phase.tile, move)


def uses_staging(schedule: Schedule) -> bool:
    """Whether the kernel puts through an engine that builds its requests on chip."""
    if schedule.target.udma_staging_offset is None:
        return False
    links = (schedule.target.links.get(p.link.name) for p in schedule.phases)
    return any(link is not None and link.one_core_per_queue for link in links)


def smaller(tile: Tile) -> Tile:
    """The tile with its longest side halved."""
    longest = max(tile.sizes, key=lambda entry: entry[1])
    return replace(tile, sizes=tuple((a, max(1, n // 2) if (a, n) == longest else n) for a, n in tile.sizes))


def tile_limit(schedule: Schedule) -> int | None:
    """Bytes on chip that tiles may take; None where the target has no such memory."""
    offset, room = schedule.target.udma_staging_offset, schedule.target.ub_bytes
    if schedule.emit == "ascendc":
        return None if room is None else room - staging_bytes(schedule) - flag_bytes(schedule)
    return offset if offset is not None and uses_staging(schedule) else room


def staging_bytes(schedule: Schedule) -> int:
    """Bytes that requests take on chip: a fixed piece, or a place for each request of the largest batch."""
    least = schedule.target.udma_staging_bytes
    if least is None or not uses_staging(schedule):
        return 0
    return max(least, *(batch_bytes(schedule, phase) for phase in schedule.phases))


def batch_bytes(schedule: Schedule, phase: Phase) -> int:
    """Bytes that a phase's batch of requests takes on chip, 0 without one."""
    link = schedule.target.links.get(phase.link.name)
    if link is None or phase.link.batch is None or link.request_bytes is None:
        return 0
    return phase.link.batch * link.request_bytes


def kernel_bytes(schedule: Schedule) -> int:
    """Predicted on-chip memory of the whole kernel; 0 for a target whose compiler manages it otherwise."""
    return tile_bytes(schedule) + flag_bytes(schedule) + staging_bytes(schedule)


def tile_bytes(schedule: Schedule) -> int:
    """What a compiler plans of it: the tiles, without the requests that it does not know of."""
    room = schedule.target.ub_bytes
    if room is None:
        return 0
    # Even cores and all cores come first in a kernel.
    in_order = sorted(loops(schedule), key=lambda loop: loop[0].role.cores == "odd")
    tiles = [memory.bytes for _, memory in in_order]
    if schedule.emit == "ascendc":
        return BUFFERS * max(tiles, default=0)
    buffers = BUFFERS if BUFFERS * max(tiles, default=0) <= room else 1
    end = 0
    for size in (*(size for size in tiles for _ in range(buffers)), word_bytes(schedule)):
        # What no longer fits behind the others shares a place with some of them.
        end = end + size if end + size <= room else max(end, size)
    return end


def word_bytes(schedule: Schedule) -> int:
    """The place from which a kernel that counts launches stores their number."""
    return schedule.target.row_align_bytes if analysis.counts_launches(schedule) else 0
