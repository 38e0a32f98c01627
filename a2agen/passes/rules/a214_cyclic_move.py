"""Moves that go in a circle.

A move brings slabs back into a buffer that they have been in, directly or through others.

Why it matters: each phase would wait for the other to write first. No order of the phases is right.

Instead of

    move P -> Q
    …
    move Q -> P

let the second go on to the output:

    move P -> Q
    …
    move Q -> C
"""

from a2agen.ir.model import Schedule
from a2agen.passes.paths import closing
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A214", "cyclic-move", requires=("A206",))
def check(schedule: Schedule, report: Report) -> None:
    step = closing(schedule)
    if step is not None:
        phase, move = step
        report(
            move.span,
            f"{phase.name} moves slabs to {move.target.name}, which they have come from",
            f"move them on to {schedule.result.name} instead, or through a buffer of their own",
            about=move.span,
        )
