"""More ranks than the link connects.

Every link ends somewhere: loads and stores of NVIDIA GPUs at the eight of one NVLink node, those of Ascend 910B
at its full mesh of eight cards.

Why it matters: the address of a rank out of reach is a null pointer, or one that the chip cannot follow. The
kernel stops with a memory error on the first group that is large enough.

Instead of

    ranks W in 2..16
    target h200
    link   ldst

lower the bound to what the link reaches, or take a link that reaches further; on a GPU only puts leave the node:

    ranks W in 2..8
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.wording import listed


@schedule_rule("A311", "ranks-beyond-reach", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    ranks = next(e for e in schedule.exchange.bounds.extents if e.name == schedule.exchange.ranks)
    for phase, link in linked(schedule):
        if ranks.hi > link.reach and any(analysis.reaches_peers(m) for m in phase.moves):
            further = [f"`link {o.name}`" for o in schedule.target.links.values() if o.reach >= ranks.hi]
            report(
                phase.link.span,
                f"{link.name} of {schedule.target.name} connects {link.reach} ranks, and {ranks.name} may be "
                f"{ranks.hi}: it fails from {ranks.name} = {max(ranks.lo, link.reach + 1)} on",
                f"write `ranks {ranks.name} in {min(ranks.lo, link.reach)}..{link.reach}`"
                + (f", or {listed(further, 'or')}" if further else ""),
                about=of(phase),
            )
