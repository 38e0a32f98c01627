"""A role that no phase names.

Its cores take part in barriers and do nothing else.

Why it matters: a reader of the spec looks for its work, and other roles could use the cores.

Instead of

    role filler : even, rest of sender      # no phase is `on filler`

give it a phase, or leave it out.
"""

from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.wording import listed


@schedule_rule("A702", "unused-role", Severity.ADVICE)
def check(schedule: Schedule, report: Report) -> None:
    used = {phase.role.name for phase in schedule.phases}
    for role in schedule.roles if not schedule.poisoned else ():
        if role.name not in used:
            rests = [other.name for other in schedule.roles if other.rest_of == role.name]
            way_out = f"leave out `role {role.name}`"
            if rests:
                way_out = f"give it a phase: {listed(rests)} has the cores that it leaves"
            report(role.span, f"no phase is on role {role.name}", way_out, about=of(role))
