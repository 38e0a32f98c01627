"""Something is announced, and nobody waits for it.

`ready` is for a phase of the same launch that reads the buffer, or for ranks whose output is written. Later
work of the stream needs none.

Why it matters: the stores of words, their memory and the fences before them cost time for nothing.

Instead of

    move  A -> C for self
    ready notify per tile

leave it out:

    move  A -> C for self
"""

from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A705", "announced-to-nobody", Severity.ADVICE)
def check(schedule: Schedule, report: Report) -> None:
    if schedule.poisoned or report.anywhere("A203", "A206", "A208", "A217"):
        return
    for phase in schedule.phases:
        if phase.ready.kind != "none" and not any(analysis.announced(schedule, m) for m in phase.moves):
            report(
                phase.ready.span,
                f"nobody in the launch waits for what phase {phase.name} announces",
                f"leave out `ready {phase.ready}`",
                about=of(phase),
            )
