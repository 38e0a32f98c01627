"""A move whose slabs nobody moves on.

Slabs are put into a buffer, no later move takes them out for the same ranks, and they come to the output on
another way.

Why it matters: the work is done for nothing, and where the buffer is `per block` a writer that waits for its
slots to be freed waits for ever.

Instead of

    move A -> P
    …
    move P -> C for others
    move A -> C for self

move only what is moved on:

    move A -> P for others
    …
    move P -> C for others
    move A -> C for self
"""

from a2agen.ir.model import Schedule
from a2agen.passes.paths import SLABS, can_be_followed, loose, without
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A208", "dead-end-move")
def check(schedule: Schedule, report: Report) -> None:
    if not can_be_followed(schedule):
        return
    for (phase, move), pair in loose(schedule, "target"):
        report(
            move.span,
            f"nobody moves {SLABS[pair]} on from {move.target.name}, where {phase.name} puts "
            f"{'them' if pair == 'others' else 'it'}",
            without(pair, move) or "move it on, or leave this move out",
            about=(move.span, pair),
        )
