"""A tile does not fit the on-chip memory.

A vector core copies a tile through its on-chip buffer, its rows padded to 32 bytes. The compiler for 950
insists on two buffers for each loop over tiles, so that the next load runs beside the store; those for 910B and
910C make do with one. Where the kernel puts by UDMA, requests are built from 189 KiB on. The compiler does not
know that, so the tiles of all loops together must end below. A tile is never clipped to its axis: `tile D
65536` takes 65536 elements even where D is 24. A kernel in Ascend C has two buffers for all loops, each for a
piece of a tile: rows along one axis, of elements that lie side by side.

Why it matters: the compiler refuses the kernel (`ub overflow`), or a tile overwrites a request and the engine
reads nonsense.

Instead of

    tile  S 64, D 4096

take a smaller one, along the block axis or along the row:

    tile  S 8, D 1024
"""

from math import prod

from a2agen.ir.model import Phase, Schedule, Tile
from a2agen.passes import onchip
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of

# Triton refuses a tensor with more elements.
TENSOR_MAX_ELEMENTS = 1048576


@schedule_rule("A506", "tile-exceeds-chip", requires=("A209", "A210", "A301", "A303"))
def check(schedule: Schedule, report: Report) -> None:
    refused = {phase.name for phase in schedule.phases if _alone(schedule, phase, report)}
    offset = schedule.target.udma_staging_offset
    if refused or offset is None or schedule.emit == "ascendc" or not onchip.uses_staging(schedule):
        return
    loops = list(onchip.loops(schedule))
    need = onchip.BUFFERS * sum(memory.bytes for _, memory in loops)
    if need > offset:
        phase, memory = max(loops, key=lambda loop: loop[1].bytes)
        assert phase.tile is not None
        report(
            phase.tile.span,
            f"the {len(loops)} loops over tiles need {need} bytes on chip, {onchip.BUFFERS} buffers each, the largest "
            f"of {memory}; UDMA requests lie at byte {offset}, where the compiler may place a tile",
            f"write `tile {onchip.smaller(phase.tile)}`, and smaller tiles in other phases where that is not enough",
            about=of(phase),
        )


def _alone(schedule: Schedule, phase: Phase, report: Report) -> bool:
    """Whether a phase's tile is too large by itself."""
    tile, target = phase.tile, schedule.target
    if tile is None:
        return False
    elements = prod(size for _, size in tile.sizes)
    room, buffers = onchip.tile_limit(schedule), target.tile_buffers or 1
    memory = max((onchip.tile_memory(schedule, tile, move) for move in phase.moves), key=lambda need: need.bytes)
    if room is not None and memory.bytes * buffers > room:
        where = "beside" if schedule.emit == "ascendc" else "below"
        below = f", {where} its UDMA requests" if onchip.uses_staging(schedule) else ""
        times = f"{buffers} buffers * " if buffers > 1 else ""
        report(
            tile.span,
            f"a tile of {tile} needs {memory.bytes * buffers} bytes on chip ({times}{memory}), "
            f"and a core of {target.name} has {room}{below}",
            f"write `tile {_fitting(schedule, phase, tile, room // buffers)}`",
            about=of(phase),
        )
        return True
    if schedule.emit == "triton_dist" and elements > TENSOR_MAX_ELEMENTS:
        report(
            tile.span,
            f"a tile of {tile} has {elements} elements, and a tensor of Triton has at most {TENSOR_MAX_ELEMENTS}",
            f"write `tile {_within(tile)}`",
            about=of(phase),
        )
        return True
    return False


def _fitting(schedule: Schedule, phase: Phase, tile: Tile, room: int) -> Tile:
    """The tile with its longest side halved until one buffer of it has room."""
    while any(onchip.tile_memory(schedule, tile, move).bytes > room for move in phase.moves):
        if all(size == 1 for _, size in tile.sizes):
            break
        tile = onchip.smaller(tile)
    return tile


def _within(tile: Tile) -> Tile:
    """The tile with its longest side halved until a tensor of Triton may have its elements."""
    while prod(size for _, size in tile.sizes) > TENSOR_MAX_ELEMENTS:
        tile = onchip.smaller(tile)
    return tile
