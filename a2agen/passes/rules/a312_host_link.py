"""The copy engine on a core, or another link on the host.

`ce` is the copy engine of a GPU. The host starts it on side streams, so its phase belongs to a role that is
`host`; and the host can move data in no other way.

Why it matters: a core has no instruction that starts a copy engine, and a launcher cannot load and store.

Instead of

    role  mover : all
    phase send on mover {
      link  ce

let the host issue the phase:

    role  mover : host
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.wording import listed


@schedule_rule("A312", "host-link", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    of_host = [link.name for link in schedule.target.links.values() if link.host_only]
    for phase, link in linked(schedule):
        if link.host_only and phase.role.cores != "host":
            report(
                phase.link.span,
                f"{link.name} is started by the host, and role {phase.role.name} is of cores ({phase.role.cores})",
                f"write `role {phase.role.name} : host`"
                + (f" and leave out `tile {phase.tile}`" if phase.tile else ""),
                about=of(phase),
            )
        elif phase.role.cores == "host" and of_host and not link.host_only:
            report(
                phase.link.span,
                f"role {phase.role.name} is the host, and {link.name} needs a core",
                f"write `link {listed(of_host, 'or')}`, or a role of cores such as `role {phase.role.name} : all`",
                about=of(phase),
            )
