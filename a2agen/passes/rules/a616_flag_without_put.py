"""`ready flag` where there is no put.

The engine writes a flag block of 512 bytes at once, so that whoever sees the flag may read the data before it.
Stores of a core are not said to do that: they go by lines of another size, and each by itself.

Why it matters: the flag may be there before the data, and the reader copies what was in the block before.

Instead of

    phase send on sender { move K -> P  link mte  tile S 8, D 240  ready flag }

announce stores by words, or let the engine move the blocks:

    phase send on sender { move K -> P for others  link udma  ready flag }
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.trial import accepted, with_link


@schedule_rule("A616", "flag-without-put", requires=("A301", "A308", "A602"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if phase.ready.kind == "flag" and link.kind != "put":
            puts = [other.name for other in schedule.target.links.values() if other.kind == "put"]
            puts = [name for name in puts if accepted(schedule, with_link(schedule, phase, name), report)]
            unit = "tile" if phase.tile is not None else "block" if schedule.block is not None else "peer"
            report(
                phase.ready.span,
                f"a flag travels in one piece with its data only in a put, and {link.name} makes no puts",
                f"write `ready notify per {unit}`" + (f", or `link {puts[0]}`" if puts else ""),
                about=of(phase),
            )
