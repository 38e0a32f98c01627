"""A credit per tile between phases whose tiles differ.

With `free credit per tile` a tile has one word: the writer sets it when the tile is full, the reader clears it
when the tile is copied. Both must mean the same tile. Tiles that are as long as their axis can be are the same,
however much longer they are.

Why it matters: a reader with smaller tiles would clear the word when a part of the tile is still to be read,
and the writer overwrites that part. A reader with larger tiles would clear words of tiles that another core has
yet to read.

Instead of

    phase send on sender { …  tile S 8, D 256  free credit per tile }
    phase read on reader { …  tile S 8, D 128 }

give both phases the same tile:

    phase read on reader { …  tile S 8, D 256 }

A phase on a put or on the host has no tile. Leave out the credit of a buffer that such a phase reads.
"""

from dataclasses import replace

from a2agen.ir.model import Phase, Schedule, Tile
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.trial import accepted, with_phase


@schedule_rule("A605", "credit-tiles-differ", requires=("A209", "A210", "A211", "A301", "A303", "A506"))
def check(schedule: Schedule, report: Report) -> None:
    for reader, move in analysis.moves(schedule):
        for _, writer, _ in analysis.feeds(schedule, move):
            if writer.free.unit != "tile" or writer.tile is None or _same(schedule, writer.tile, reader.tile):
                continue
            if report.found(of(writer), "A209", "A210", "A506"):
                continue
            link = schedule.target.links.get(reader.link.name)
            tiled = link is None or link.kind == "load_store"
            report(
                reader.tile.span if reader.tile is not None else move.span,
                f"phase {reader.name} frees {move.source.name} tile by tile for phase {writer.name}, "
                f"whose tile is {writer.tile}; {_own(reader)}",
                f"write `tile {writer.tile}`" if tiled else _untiled(schedule, writer, report),
                about=of(reader),
            )
            break


def _untiled(schedule: Schedule, writer: Phase, report: Report) -> str:
    """The help where the reader's link moves a slab or block as a whole, and so can have no tile."""
    offers = {
        f"leave out `free {writer.free}` in phase {writer.name}": replace(writer.free, kind="none", unit=None),
        f"write `free credit per peer` in phase {writer.name}": replace(writer.free, unit="peer"),
    }
    holds = (
        text
        for text, free in offers.items()
        if accepted(schedule, with_phase(schedule, writer, replace(writer, free=free)), report)
    )
    return next(holds, f"let a phase that copies by tiles read what {writer.name} frees by tiles")


def _same(schedule: Schedule, one: Tile, other: Tile | None) -> bool:
    """Whether tiles cut every extent in the same places; those that no extent is longer than do."""
    if other is None:
        return False
    longest = {e.name: schedule.block_size(e.name) or e.hi for e in schedule.exchange.bounds.extents}
    axes = {axis for axis, _ in (*one.sizes, *other.sizes)}
    return all(min(one.size(a), longest[a]) == min(other.size(a), longest[a]) for a in axes)


def _own(reader: Phase) -> str:
    return "its own has no tile" if reader.tile is None else f"its own is {reader.tile}"
