"""One request of a put is larger than the engine takes.

A request of the UDMA engine carries at most 256 MiB. Which piece a put moves follows from the schedule: a whole
slab, one block of it where the phase announces per block, a part of it with several queues, one run with
`split`.

Why it matters: the library does not cut a larger request into several. And its length travels in 32 bits, so
that a slab of 4 GiB and 4 KiB would arrive as its first 4 KiB, without an error.

Instead of

    dim S in 1..65536
    move  A -> P for others
    link  udma
    ready barrier

move a block at a time (`ready notify per block`), or bound the product of the extents:

    where S * H * D <= 2**27
"""

from collections.abc import Iterator

from a2agen.ir.expr import Expr, Min, ceil_div, mul, wrap
from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.remedy import product_bound
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.wording import at


@schedule_rule("A306", "request-too-large", requires=("A301", "A303", "A304", "A305"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        limit = link.request_max_bytes
        for move in phase.moves:
            if limit is None or phase.ready.unit == "tile":
                continue
            size = _elements(schedule, phase, move) * move.source.element_bytes
            values = schedule.exchange.bounds.above(size, limit)
            if values is None:
                continue
            wraps = None if link.length_bits is None else schedule.exchange.bounds.above(size, 2**link.length_bits - 1)
            also = "" if wraps is None else f"; at {at(wraps, size)} its length wraps {link.length_bits} bits"
            report(
                move.span,
                f"one request carries at most {limit} bytes, and {size} is {size.evaluate(values)} "
                f"at {at(values, size)}{also}",
                " or ".join(_ways_out(schedule, phase, move, size, limit)),
                about=of(phase),
            )


def _ways_out(schedule: Schedule, phase: Phase, move: Move, size: Expr, limit: int) -> Iterator[str]:
    if schedule.block is not None and analysis.at_once(schedule, phase, move):
        yield "announce per block, so that a request carries one block,"
    bound = product_bound(schedule.exchange.bounds, size, limit)
    yield f"bound the product: `where {bound}`" if bound else "lower the bounds"


def _elements(schedule: Schedule, phase: Phase, move: Move) -> Expr:
    """Elements of the largest request of a move, over the extents."""
    axes = [a for a in move.source.layout.axes if a != move.source.peer_axis]
    if phase.link.split:
        axes = analysis.common_run(schedule, phase, move)
    block = None if analysis.at_once(schedule, phase, move) else schedule.block
    extents: list[Expr] = []
    row = move.source.layout.axes[-1]
    for axis in axes:
        extent = schedule.exchange.extent(axis)
        extent = Min(extent, wrap(block.size)) if block is not None and axis == block.axis else extent
        extents.append(analysis.row_elements(schedule, move.source, extent) if axis == row else extent)
    if extents and not phase.link.split:
        extents[0] = ceil_div(extents[0], phase.link.queues)
    return mul(*extents)
