"""`ready flag` on data without flags.

A flag block holds 480 bytes of data and 32 of flag, so the data announces itself as it arrives. Source and
destination must both be laid out in such blocks: the put copies them as they are.

Why it matters: without blocks there is no flag to look at; the reader would take data for one.

Instead of

    buffer P : [from S D] symmetric
    move   A -> P for others
    ready  flag

pack into flag blocks, and put those:

    buffer K : [to S D] local flagged
    buffer P : [from S D] symmetric flagged
    move   K -> P for others
    ready  flag
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.wording import listed


@schedule_rule("A613", "flag-without-blocks", requires=("A301", "A308", "A602"))
def check(schedule: Schedule, report: Report) -> None:
    for phase in schedule.phases:
        plain = [s for m in phase.moves for s in (m.source, m.target) if not s.flagged]
        if phase.ready.kind != "flag" or not plain:
            continue
        names = list(dict.fromkeys(s.name for s in plain))
        buffers = [s.name for s in plain if s.kind == "buffer"]
        report(
            phase.ready.span,
            f"`ready flag` needs flag blocks on both sides, and {listed(names)} "
            f"{'has' if len(names) == 1 else 'have'} none",
            f"write `flagged` for {listed(buffers)}" if buffers == names else "pack into a `flagged` buffer first",
            about=of(phase),
        )
