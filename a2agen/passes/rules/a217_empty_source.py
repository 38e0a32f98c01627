"""A move of slabs that nobody has put there.

A move takes slabs out of a buffer which no move brings there for the same ranks, while they come to the output
on another way.

Why it matters: whatever lies in the buffer is written to the output, over rows that are right or will be.

Instead of

    move A -> P for others
    …
    move P -> C
    move A -> C for self

take out only what was put in:

    move A -> P for others
    …
    move P -> C for others
    move A -> C for self
"""

from a2agen.ir.model import Schedule
from a2agen.passes.paths import SLABS, can_be_followed, loose, without
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A217", "empty-source")
def check(schedule: Schedule, report: Report) -> None:
    if not can_be_followed(schedule):
        return
    for (phase, move), pair in loose(schedule, "source"):
        report(
            move.span,
            f"{phase.name} moves {SLABS[pair]} out of {move.source.name}, where nobody has put "
            f"{'them' if pair == 'others' else 'it'}",
            without(pair, move) or "leave the move out",
            about=(move.span, pair),
        )
