"""A relay without a rank to go through, or with more than a plain put.

`relay next` sends a slab through the first rank after the target that is neither the target nor the sender.
With two ranks there is no such rank. A library built for relays has one queue to each peer, and relays plain puts
alone: none with a signal, and no batches.

Why it matters: the relay rank would be the sender or the target itself, to which the engine has no such way;
and the library leaves the functions for several queues out of a relay build.

Instead of

    ranks W in 2..8
    link  udma(relay next)

exclude two ranks:

    ranks W in 3..8
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.remedy import ranks_within
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A310", "relay-needs-third-rank", requires=("A301", "A307", "A308"))
def check(schedule: Schedule, report: Report) -> None:
    ranks = next(e for e in schedule.exchange.bounds.extents if e.name == schedule.exchange.ranks)
    for phase in schedule.phases:
        if not phase.link.relay:
            continue
        if ranks.lo < 3:
            report(
                phase.link.span,
                f"a relay goes through a third rank, and {ranks.name} may be {ranks.lo}",
                f"{ranks_within(schedule.exchange, 3, max(3, ranks.hi))}, or leave out `relay next`",
                about=of(phase),
            )
        if phase.ready.kind == "signal":
            report(
                phase.ready.span,
                "a relayed put carries no signal",
                f"write `ready notify per {phase.ready.unit}`, or leave out `relay next`",
                about=of(phase),
            )
        if phase.link.batch is not None:
            report(
                phase.link.span,
                "relayed puts are not submitted in batches",
                "leave out `submit batch` or `relay next`",
                about=of(phase),
            )
        if phase.link.queues > 1:
            report(
                phase.link.span,
                f"a relay has one queue to each peer, and this link asks for {phase.link.queues}",
                "leave out `qps` or `relay next`",
                about=of(phase),
            )
