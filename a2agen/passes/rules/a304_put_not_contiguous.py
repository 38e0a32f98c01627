"""What a put moves is not one run of memory.

A put copies one run of bytes into one run of bytes. The slab or block that it moves must therefore lie in one
piece on both sides: the `to` or `from` axis outside all others, the block axis next where the phase announces
per block, and the other axes in the same order in both layouts.

Why it matters: the put knows an address and a length. It would send the rows that happen to lie behind the
first one, and overwrite at the peer what lies between the rows that it should write.

Instead of

    buffer P : [S (from H) D] symmetric
    move  A -> P for others
    link  udma

stage slab by slab, which the reader can turn into any order:

    buffer P : [from S H D] symmetric

or pack the rows first (`buffer K : [to S H D] local`), or let the put be cut into one request per run with
`link udma(split)`. `ready signal` then becomes `ready notify`, as no one of several requests brings word of all.
"""

from a2agen.ir.model import Move, Phase, Schedule, Storage
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.wording import listed


@schedule_rule("A304", "put-not-contiguous", requires=("A301", "A303"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if not link.contiguous or phase.link.split:
            continue
        for move in phase.moves:
            broken = None if move.source.strided else analysis.broken_run(schedule, phase, move)
            if broken is not None:
                report(
                    move.span,
                    _message(schedule, phase, move, *broken),
                    _way_out(schedule, phase, move, broken[0]),
                    about=of(phase),
                )


def _message(schedule: Schedule, phase: Phase, move: Move, storage: Storage, axis: str) -> str:
    if _order(move.source) != _order(move.target):
        return (
            f"a put copies bytes in order, and the axes of {move.source.name} {move.source.layout} stand in another "
            f"order than those of {move.target.name} {move.target.layout}"
        )
    what = "slab" if analysis.at_once(schedule, phase, move) else "block"
    axes = storage.layout.axes
    outside = [a for a in axes[: axes.index(axis)] if a != storage.peer_axis]
    return (
        f"a put moves one run of memory, and the {what} of {storage.name} is none: in {storage.layout}, "
        f"{axis} lies inside {listed(outside)}"
    )


def _way_out(schedule: Schedule, phase: Phase, move: Move, broken: Storage) -> str:
    ways = []
    order = " ".join(_order(move.source))
    packed = [m.target.name for _, m in analysis.readers(schedule, move.source) if m.target.side == "sender"]
    if move.target.kind == "buffer" and (broken == move.target or _order(move.target) != _order(move.source)):
        ways.append(f"lay {move.target.name} out as `[from {order}]`")
    elif packed:
        ways.append(f"move it from {packed[0]}, where it is packed")
    if move.source.kind == "in" and broken == move.source and not packed:
        ways.append(f"pack into `[to {order}]` first")
    blocks = move.source.flagged or move.target.flagged  # which `split` would cut
    if "split" in schedule.target.backends[schedule.emit].capabilities and (not blocks or not ways):
        also = f" and `ready notify per {phase.ready.unit}`" if phase.ready.kind == "signal" else ""
        ways.append(f"write `link {phase.link.name}(split)`{also} for one request per run")
    return ", or ".join(ways)


def _order(storage: Storage) -> list[str]:
    return [axis for axis in storage.layout.axes if axis != storage.peer_axis]
