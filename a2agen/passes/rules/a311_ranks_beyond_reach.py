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
from a2agen.passes.rules.remedy import ranks_within
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.wording import listed
from a2agen.passes.ways import AUTO, link_of, ways


@schedule_rule("A311", "ranks-beyond-reach", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    ranks = next(e for e in schedule.exchange.bounds.extents if e.name == schedule.exchange.ranks)
    for phase, link in linked(schedule):
        if ranks.hi > link.reach and any(analysis.reaches_peers(m) for m in phase.moves):
            said, reach = link.name, link.reach
            if schedule.auto is not None:
                short = [other for other in map(link_of, ways(schedule)) if ranks.hi > other.reach]
                if link != short[0]:
                    continue  # told of the first
                said, reach = f"`link {AUTO}`", min(other.reach for other in short)
            far = [o.name for o in schedule.target.links.values() if o.reach >= ranks.hi]
            report(
                phase.link.span,
                f"{said} of {schedule.target.name} connects {reach} ranks, and {ranks.name} may be "
                f"{ranks.hi}: it fails from {ranks.name} = {max(ranks.lo, reach + 1)} on",
                ranks_within(schedule.exchange, min(ranks.lo, reach), reach)
                + (f"; of its links {listed(far)} reaches farther" if far else ""),
                about=of(phase),
            )
