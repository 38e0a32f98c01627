"""Cores that no shape gives any work.

A role that is `one per peer` uses one core for each other rank and queue. The rest of its class is idle, unless
another role is the rest of it; and so is a class of which no role is.

Why it matters: the cores could copy the own slab, or help the readers.

Instead of

    ranks W in 2..8
    role  sender : even, one per peer       # 7 of 32 even cores

let the others work too:

    role  sender : even, one per peer
    role  filler : even, rest of sender
"""

from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A704", "idle-cores", Severity.ADVICE, requires=("A402",))
def check(schedule: Schedule, report: Report) -> None:
    cores = analysis.launch_cores(schedule)
    shared = {role.rest_of for role in schedule.roles}
    kinds = {role.cores for role in schedule.roles}
    if schedule.poisoned:
        return
    for role in schedule.roles:
        if not role.per_peer or role.cores == "host":
            continue
        taken = analysis.peer_lanes(schedule, role)
        lanes = analysis.class_lanes(analysis.CORES, role.cores).evaluate({"cores": cores})
        most = schedule.exchange.bounds.maximum(taken)
        if role.name not in shared and most < lanes:
            report(
                role.span,
                f"role {role.name} uses at most {most} ({taken}) of {lanes} cores, and nobody has the others",
                f"add `role NAME : {role.cores}, rest of {role.name}` and give it a phase",
                about=of(role),
            )
    if len(kinds) == 1 and kinds <= {"even", "odd"}:
        idle = "odd" if "even" in kinds else "even"
        report(
            schedule.span, f"no role is of the {idle} cores: half of the launch is idle", f"add `role NAME : {idle}`"
        )
