"""More requests than a queue holds before they are completed.

A queue of the UDMA engine has a fixed number of places. A quiet frees them. With `complete each` there is one
before every announcement, with `complete end` (the default of `ready signal`) only one before the kernel ends.

Why it matters: the library counts requests and not the places that they take, and a put with a signal takes
two. Past the end a new request overwrites one that is yet to be sent.

Instead of

    dim   S in 1..1048576
    block S by 8
    link  udma(complete end)
    ready signal per block

take larger blocks, lower the bound, or complete each announcement:

    link  udma(complete each)
"""

from a2agen.ir.expr import Const, Expr, ceil_div, mul
from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.wording import at


@schedule_rule("A316", "queue-credit-exceeded", requires=("A301", "A303", "A304", "A305", "A308", "A511"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        for move in phase.moves:
            several = phase.link.split or phase.link.batch is not None
            if link.queue_depth is None or (phase.ready.kind == "signal" and several):
                continue
            places = _requests(schedule, phase, move) * (2 if phase.ready.kind == "signal" else 1)
            values = schedule.exchange.bounds.above(places, link.queue_depth)
            if values is not None:
                report(
                    phase.link.span,
                    f"a queue has {link.queue_depth} places, and {places} = {places.evaluate(values)} are taken "
                    f"before the next quiet at {at(values, places)}",
                    "take larger blocks or lower the bounds"
                    + (", or write `complete each`" if phase.link.complete == "end" else ""),
                    about=of(phase),
                )


def _requests(schedule: Schedule, phase: Phase, move: Move) -> Expr:
    """Requests of one queue between two quiets, over the extents."""
    once = analysis.at_once(schedule, phase, move)
    blocks: Expr = Const(1)
    if not once and schedule.block is not None and phase.link.complete == "end":
        blocks = ceil_div(schedule.exchange.extent(schedule.block.axis), schedule.block.size)
    if not phase.link.split:
        return blocks
    inside = analysis.common_run(schedule, phase, move)
    outside = [a for a in move.source.layout.axes if a != move.source.peer_axis and a not in inside]
    block = None if once else schedule.block
    counts = (
        Const(block.size) if block is not None and a == block.axis else schedule.exchange.extent(a) for a in outside
    )
    return mul(blocks, *counts)
