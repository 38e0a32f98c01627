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

from dataclasses import replace

from a2agen.ir.model import Schedule
from a2agen.passes.analysis import moves
from a2agen.passes.paths import can_be_followed, for_whom, impossible
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.trial import accepted, with_move


@schedule_rule("A206", "impossible-move")
def check(schedule: Schedule, report: Report) -> None:
    for phase, move in moves(schedule):
        if (fault := impossible(move)) is not None:
            message, way_out = fault
            if move.source.kind == "out" or move.target.kind == "in":
                turned = with_move(schedule, phase, move, replace(move, source=move.target, target=move.source))
                if can_be_followed(turned) and accepted(schedule, turned, report):
                    way_out = f"write `move {move.target.name} -> {move.source.name}{for_whom(move)}`"
            report(move.span, message, way_out, about=move.span)
