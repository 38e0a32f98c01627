"""A buffer that no phase touches.

Why it matters: it takes memory in every rank's heap, and nothing comes of it.

Instead of

    buffer Q : [from S D] symmetric         # no move names Q

move through it, or leave it out.
"""

from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A703", "unused-buffer", Severity.ADVICE)
def check(schedule: Schedule, report: Report) -> None:
    touched = {s.name for _, m in analysis.moves(schedule) for s in (m.source, m.target)}
    touched |= {s.overlay for s in schedule.buffers if s.overlay is not None}
    for buffer in schedule.buffers if not schedule.poisoned else ():
        if buffer.name not in touched:
            report(buffer.span, f"no move names {buffer.name}", f"leave out `buffer {buffer.name}`", about=of(buffer))
