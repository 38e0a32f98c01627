"""A move that can't be made.

Slabs go from the input, through buffers of the sender, over to buffers of the receiver and to the output: never
out of the output, into the input or from the receiver's side back to the sender's. A buffer without `to` and
`from` holds the own slab alone. Both ends of a move have the same axes.

Why it matters: there is no address for such a move to read or write.

Instead of

    buffer L : [S H D]
    …
    move A -> L

say which slab is meant:

    buffer L : [S H D]
    …
    move A -> L for self
"""

from a2agen.ir.model import Schedule
from a2agen.passes.analysis import moves
from a2agen.passes.paths import impossible
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A206", "impossible-move")
def check(schedule: Schedule, report: Report) -> None:
    for _, move in moves(schedule):
        if (fault := impossible(move)) is not None:
            message, way_out = fault
            report(move.span, message, way_out, about=move.span)
