"""Other ranks write this rank's output, and nothing orders that with its use.

With `place C symmetric` every rank stores straight into the output of its peers. The launch must not end before
all rows are there, so the phase needs `ready`. And under `rounds epoch` a fast rank must not start the next
launch's rows while the stream still reads the last ones, so it needs `free credit per peer` or a barrier.

Why it matters: without `ready` the caller reads an output with holes. Without the credit the rows change under
the caller's feet as soon as one rank is a launch ahead.

Instead of

    place  C symmetric
    move   A -> C
    ready  notify per peer
    rounds epoch

let the receiver say when its output may be written again:

    ready  notify per peer
    free   credit per peer
"""

from dataclasses import replace

from a2agen.ir.model import Move, Phase, Ready, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A606", "output-overwritten", requires=("A301", "A507"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, move in analysis.moves(schedule):
        out = move.target
        if out.kind != "out" or not out.symmetric or not analysis.reaches_peers(move):
            continue
        if phase.ready.kind == "none":
            report(
                phase.ready.span,
                f"phase {phase.name} writes {out.name} at other ranks, and they do not learn when it is complete",
                f"write `ready notify per peer`{_freed(schedule, phase, move)} in phase {phase.name}",
                about=of(phase),
            )
        elif phase.free.kind == "none" and analysis.row(schedule, phase, move).error is not None:
            report(
                phase.free.span,
                f"phase {phase.name} writes {out.name} at other ranks, and under rounds {schedule.rounds} nothing "
                f"tells it that they are done with what the last launch wrote",
                f"write `free credit per peer` in phase {phase.name}",
                about=of(phase),
            )


def _freed(schedule: Schedule, phase: Phase, move: Move) -> str:
    """The credit that an announcement per peer makes no protocol without."""
    ready = replace(phase, ready=Ready("notify", "peer", span=phase.ready.span))
    lacks = phase.free.kind == "none" and analysis.row(schedule, ready, move).error is not None
    return " and `free credit per peer`" if lacks else ""
