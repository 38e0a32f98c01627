"""A role of a class without cores.

Cores count from 0: the first is even, the second odd. A launch of one core has no odd one.

Why it matters: nobody does the work of the role, and whoever waits for it waits for ever.

Instead of

    cores 1
    role reader : odd

launch at least two cores, or leave out `cores` to take the target's number.
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A403", "role-has-no-core")
def check(schedule: Schedule, report: Report) -> None:
    cores = analysis.launch_cores(schedule)
    for role in schedule.roles:
        lanes = analysis.class_lanes(analysis.CORES, role.cores).evaluate({"cores": cores})
        if role.cores != "host" and lanes == 0:
            report(
                role.span,
                f"a launch of {cores} has no {role.cores} core for role {role.name}",
                "write `cores 2` or more, or leave out `cores`",
            )
