"""More puts with signal than a queue holds before they are completed.

A queue of the UDMA engine is a ring of 32768 places of 64 bytes. A put takes one, and a put with signal two. The
library lets a put wait while as many requests are on their way as the ring has places: it counts requests. That is
right for plain puts, and twice as many as there is room for of those with signal. A quiet frees the places. With
`complete each` there is one behind every put with signal, with `complete end` (the default of `ready signal`)
only one before the kernel ends.

Why it matters: past the end a new request overwrites one that is yet to be sent.

Instead of

    dim   S in 1..1048576
    block S by 8
    link  udma(complete end)
    ready signal per block

take larger blocks, lower the bound, or complete each announcement:

    link  udma(complete each)
"""

from a2agen.ir.expr import Const, Expr, ceil_div
from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.wording import at


@schedule_rule("A316", "queue-credit-exceeded", requires=("A301", "A303", "A304", "A305", "A308", "A614"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if link.queue_depth is None or phase.ready.kind != "signal" or analysis.completion(phase) == "each":
            continue
        for move in phase.moves:
            places = _puts(schedule, phase, move) * 2
            values = schedule.exchange.bounds.above(places, link.queue_depth)
            if values is not None:
                report(
                    phase.link.span,
                    f"a queue has {link.queue_depth} places, and {places} = {places.evaluate(values)} are taken "
                    f"before the next quiet at {at(values, places)}",
                    "take larger blocks or lower the bounds, or write `complete each`",
                    about=of(phase),
                )


def _puts(schedule: Schedule, phase: Phase, move: Move) -> Expr:
    """How many puts with signal a queue carries in a launch, over the extents."""
    if schedule.block is None or analysis.at_once(schedule, phase, move):
        return Const(1)
    return ceil_div(schedule.exchange.extent(schedule.block.axis), schedule.block.size)
