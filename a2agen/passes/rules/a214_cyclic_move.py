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

from dataclasses import replace

from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes.paths import can_be_followed, closing, for_whom
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.trial import accepted, with_move


@schedule_rule("A214", "cyclic-move", requires=("A206",))
def check(schedule: Schedule, report: Report) -> None:
    step = closing(schedule)
    if step is not None:
        phase, move = step
        itself = move.source.name == move.target.name
        report(
            move.span,
            f"{phase.name} moves slabs to {move.target.name}, which they have come from",
            _ends_apart(schedule, phase, move, report)
            if itself
            else f"move them on to {schedule.result.name} instead, or through a buffer of their own",
            about=move.span,
        )


def _ends_apart(schedule: Schedule, phase: Phase, move: Move, report: Report) -> str:
    """The help for a move from a place to itself: another end, if one makes the schedule whole."""
    place = move.source
    for source, target in ((schedule.source, schedule.result), (place, schedule.result), (schedule.source, place)):
        changed = with_move(schedule, phase, move, replace(move, source=source, target=target))
        if source is not target and can_be_followed(changed) and accepted(schedule, changed, report):
            return f"write `move {source.name} -> {target.name}{for_whom(move)}`"
    return f"leave it out: slabs stay in {place.name} by themselves"
