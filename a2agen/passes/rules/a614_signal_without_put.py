"""`ready signal` where there is no put that could carry it.

A put with signal is one request that stores its word after its data. Loads and stores have no such request;
`split` makes several requests of one announcement, a batch takes plain puts only, and a slab that is put block by
block is announced with the last of several puts, between which the engine keeps no order.

Why it matters: the word would arrive with the first of the requests, and the reader takes the rest for there.

Instead of

    link  udma(split)
    ready signal per block

announce after the last of them:

    link  udma(split)
    ready notify per block
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of


@schedule_rule("A614", "signal-without-put", requires=("A301", "A308"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if phase.ready.kind != "signal":
            continue
        option = "split" if phase.link.split else "submit batch" if phase.link.batch is not None else None
        by_block = phase.ready.unit == "peer" and any(not analysis.at_once(schedule, phase, m) for m in phase.moves)
        if link.kind == "put" and option is None and by_block:
            report(
                phase.ready.span,
                f"a signal travels with the one put that it announces, and phase {phase.name} puts each slab block "
                f"by block",
                "write `ready signal per block`",
                about=of(phase),
            )
            continue
        if link.kind == "put" and option is None:
            continue
        reason = (
            f"{link.name} makes no puts" if option is None else f"`{option}` makes several requests of one announcement"
        )
        report(
            phase.ready.span,
            f"a signal travels with the one put that it announces, and {reason}",
            f"write `ready notify per {phase.ready.unit}`" + (f", or leave out `{option}`" if option else ""),
            about=of(phase),
        )
