"""Two roles have cores in common.

A core plays one role from the start of the kernel to its end. `even` and `odd` are two halves, `all` is both of
them, and `rest of sender` is what `sender` leaves of its class.

Why it matters: a core with two roles would do the second only after the first has ended. A sender that waits
for its own reader to free a slot waits for itself.

Instead of

    role sender : even
    role reader : all

divide the cores:

    role sender : even
    role reader : odd
"""

from a2agen.ir.model import Role, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A402", "roles-overlap", requires=("A408",))
def check(schedule: Schedule, report: Report) -> None:
    for index, role in enumerate(schedule.roles):
        earlier = next((r for r in schedule.roles[:index] if _overlap(r, role)), None)
        if earlier is not None:
            report(role.span, _message(schedule, earlier, role), _way_out(schedule, earlier, role), about=of(role))


def _overlap(one: Role, other: Role) -> bool:
    if "host" in (one.cores, other.cores):
        return False
    if one.name == other.rest_of or other.name == one.rest_of:
        return False
    return "all" in (one.cores, other.cores) or one.cores == other.cores


def _message(schedule: Schedule, earlier: Role, role: Role) -> str:
    cores = analysis.launch_cores(schedule)
    shared = earlier.cores if role.cores == "all" else role.cores
    lanes = analysis.class_lanes(analysis.CORES, shared).evaluate({"cores": cores})
    kind = "" if shared == "all" else f"{shared} "
    if earlier.rest_of is not None and earlier.rest_of == role.rest_of:
        return (
            f"role {role.name} is the rest of {role.rest_of}, and so is role {earlier.name}: one core would play both"
        )
    return (
        f"role {role.name} ({role.cores}) and role {earlier.name} ({earlier.cores}) share the {lanes} {kind}cores "
        f"of a launch of {cores}: one core would play both"
    )


def _way_out(schedule: Schedule, earlier: Role, role: Role) -> str:
    taken = {r.cores for r in schedule.roles if r.name != role.name}
    free = [kind for kind in ("even", "odd") if taken.isdisjoint((kind, "all"))]
    if free:
        return f"write `role {role.name} : {free[0]}`"
    if earlier.per_peer and earlier.cores == role.cores:
        return f"write `role {role.name} : {role.cores}, rest of {earlier.name}`"
    return f"give the phases of {role.name} and {earlier.name} to one role, or divide the cores into even and odd"
