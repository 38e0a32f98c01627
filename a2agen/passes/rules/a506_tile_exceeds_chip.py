"""A tile does not fit the on-chip memory.

A vector core copies a tile through its on-chip buffer. The compiler keeps two tiles there, so that the next
load runs beside the store; rows are padded to 32 bytes; and where the kernel puts by UDMA, requests are built
from 189 KiB on, out of the tiles' reach. A tile is never clipped to its axis: `tile D 65536` takes 65536
elements even where D is 24.

Why it matters: the compiler refuses the kernel (`ub overflow`), or the tile overwrites the requests and the
engine reads nonsense.

Instead of

    tile  S 64, D 4096

take a smaller one, along the block axis or along the row:

    tile  S 8, D 1024
"""

from dataclasses import replace

from a2agen.ir.model import Phase, Schedule, Tile
from a2agen.passes import onchip
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of

# Triton refuses a tensor with more elements.
TENSOR_MAX_ELEMENTS = 1048576


@schedule_rule("A506", "tile-exceeds-chip", requires=("A209", "A210", "A301", "A303"))
def check(schedule: Schedule, report: Report) -> None:
    limit = onchip.tile_limit(schedule)
    for phase in schedule.phases:
        if phase.tile is None:
            continue
        elements = 1
        for _, size in phase.tile.sizes:
            elements *= size
        need = _need(schedule, phase, phase.tile)
        if limit is not None and need.bytes > limit:
            above = ", the UDMA requests lie above" if onchip.uses_staging(schedule) else ""
            report(
                phase.tile.span,
                f"a tile of {phase.tile} needs {need.bytes} bytes on chip ({need}), "
                f"and a core of {schedule.target.name} has {limit} for tiles{above}",
                f"write `tile {_fitting(schedule, phase, phase.tile, limit)}`",
                about=of(phase),
            )
        elif schedule.emit == "triton_dist" and elements > TENSOR_MAX_ELEMENTS:
            report(
                phase.tile.span,
                f"a tile of {phase.tile} has {elements} elements, "
                f"and a tensor of Triton has at most {TENSOR_MAX_ELEMENTS}",
                "make the tile smaller",
                about=of(phase),
            )


def _need(schedule: Schedule, phase: Phase, tile: Tile) -> onchip.TileMemory:
    return max((onchip.tile_memory(schedule.target, tile, move) for move in phase.moves), key=lambda need: need.bytes)


def _fitting(schedule: Schedule, phase: Phase, tile: Tile, limit: int) -> Tile:
    """The tile with its longest side halved until it fits."""
    while _need(schedule, phase, tile).bytes > limit:
        longest = max(tile.sizes, key=lambda entry: entry[1])
        if longest[1] == 1:
            break
        tile = replace(tile, sizes=tuple((a, n // 2 if (a, n) == longest else n) for a, n in tile.sizes))
    return tile
