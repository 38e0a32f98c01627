"""How much on-chip memory a kernel takes: a prediction from its tiles, before any compiler has seen it.

A copy loads a tile and stores it. The Ascend compiler gives every loop's tile two buffers, so that the next
load runs beside the store, and starts each row of a tile at a multiple of 32 bytes. Buffers of one loop are
free again for the next, so a kernel takes what its largest loop takes. Requests of the UDMA engine are built in
a fixed place of the same memory, which tiles must not reach.
"""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.ir.model import Move, Phase, Schedule, Tile
from a2agen.targets.profile import Profile

BUFFERS_PER_TILE = 2


@dataclass(frozen=True, slots=True)
class TileMemory:
    """What one move's tile takes: `rows` of `row_bytes`, alignment included, in `buffers` copies."""

    rows: int
    row_bytes: int
    buffers: int

    @property
    def bytes(self) -> int:
        return self.rows * self.row_bytes * self.buffers

    def __str__(self) -> str:
        return f"{self.buffers} buffers * {self.rows} rows * {self.row_bytes} bytes"


def tile_memory(profile: Profile, tile: Tile, move: Move) -> TileMemory:
    """On-chip memory of a move's tile.

    A row runs along the innermost axis of a layout; where the two sides differ in it, the larger need counts.
    """
    elements = 1
    for _, size in tile.sizes:
        elements *= size
    needs = []
    for storage in (move.source, move.target):
        row = tile.size(storage.layout.axes[-1])
        aligned = -(-row * storage.element_bytes // profile.row_align_bytes) * profile.row_align_bytes
        needs.append(TileMemory(elements // row, aligned, BUFFERS_PER_TILE))
    return max(needs, key=lambda need: need.bytes)


def uses_staging(schedule: Schedule) -> bool:
    """Whether the kernel puts through an engine that builds its requests on chip."""
    if schedule.target.udma_staging_offset is None:
        return False
    links = (schedule.target.links.get(p.link.name) for p in schedule.phases)
    return any(link is not None and link.one_core_per_queue for link in links)


def tile_limit(schedule: Schedule) -> int | None:
    """Bytes that tiles may take; None where the target has no such memory."""
    offset = schedule.target.udma_staging_offset
    return offset if offset is not None and uses_staging(schedule) else schedule.target.ub_bytes


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
    """Predicted on-chip memory of the whole kernel."""
    tiles = [
        tile_memory(schedule.target, phase.tile, move).bytes
        for phase in schedule.phases
        if phase.tile is not None
        for move in phase.moves
    ]
    if schedule.target.ub_bytes is None:
        return 0
    return max(tiles, default=0) + staging_bytes(schedule)
