"""The target has no such link.

A phase names the link that its data travels by, and a machine has only some of them: load/store by the vector cores
everywhere on Ascend (`mte`), the UDMA engine on Ascend 950 alone, and on an NVIDIA GPU `ldst`, `ce` and `put`.

Why it matters: aclshmem's UDMA calls compile for other chips too, and in a release build do nothing there. The kernel
runs, and the data never arrives.

Instead of

    schedule s for e {
      target ascend910c
      …
      link udma

name a link that the target has (`link mte`), or a target that has the link (`target ascend950`). `a2agen targets`
lists both.
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.wording import listed
from a2agen.targets import profile


@schedule_rule("A301", "no-such-link")
def check(schedule: Schedule, report: Report) -> None:
    target = schedule.target
    for phase in schedule.phases:
        if phase.link.name not in target.links:
            others = [p for p in map(profile.load, profile.names()) if schedule.emit in p.backends]
            elsewhere = [other.name for other in others if phase.link.name in other.links]
            ways = [*(f"`link {name}`" for name in target.links), *(f"`target {name}`" for name in elsewhere)]
            report(
                phase.link.span,
                f"{target.name} has no link {phase.link.name}",
                f"write {listed(ways, 'or')}",
                about=("phase", phase.name),
            )
