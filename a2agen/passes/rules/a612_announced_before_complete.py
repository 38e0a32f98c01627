"""A put is announced before it has arrived.

The engine works behind the core's back: a put has arrived only after a quiet. `complete end` leaves the quiets
of a kernel to its end, which is right where the put carries its own signal. A word that the core stores takes
another way and is faster.

Why it matters: the peer sees the word, reads, and finds rows that are still on their way.

Instead of

    link  udma(complete end)
    ready notify per block

complete each put before it is announced, which is the default:

    link  udma
    ready notify per block
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of


@schedule_rule("A612", "announced-before-complete", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if link.kind == "put" and phase.link.complete == "end" and phase.ready.kind in ("notify", "barrier"):
            report(
                phase.link.span,
                f"`complete end` leaves the puts of phase {phase.name} on their way, "
                f"and `ready {phase.ready}` says that they have arrived",
                "leave out `complete end`",
                about=of(phase),
            )
