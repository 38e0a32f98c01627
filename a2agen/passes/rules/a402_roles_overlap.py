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

from collections import Counter

from a2agen.ir.model import CoreClass, Role, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A402", "roles-overlap", requires=("A408",))
def check(schedule: Schedule, report: Report) -> None:
    cores = analysis.launch_cores(schedule)
    taken = Counter(role.cores for role in schedule.roles)
    # Roles by class, with their places in the text: those of another class are none that a role overlaps.
    before: dict[CoreClass, list[tuple[int, Role]]] = {}
    for place, role in enumerate(schedule.roles):
        classes = (of for kind, of in before.items() if _share(kind, role.cores))
        firsts = (next(((n, r) for n, r in of if not _leaves(r, role)), None) for of in classes)
        earlier = min(filter(None, firsts), default=None, key=lambda first: first[0])
        before.setdefault(role.cores, []).append((place, role))
        if earlier is not None:
            others = {kind for kind, times in taken.items() if times > (kind == role.cores)}
            report(role.span, _message(cores, earlier[1], role), _way_out(others, earlier[1], role), about=of(role))


def _share(one: CoreClass, other: CoreClass) -> bool:
    """Whether two classes have cores in common."""
    return "host" not in (one, other) and ("all" in (one, other) or one == other)


def _leaves(one: Role, other: Role) -> bool:
    """Whether one of two roles is the rest of the other."""
    return one.name == other.rest_of or other.name == one.rest_of


def _message(cores: int, earlier: Role, role: Role) -> str:
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


def _way_out(taken: set[CoreClass], earlier: Role, role: Role) -> str:
    """`taken` are the classes of all other roles."""
    free = [kind for kind in ("even", "odd") if taken.isdisjoint((kind, "all"))]
    if free:
        return f"write `role {role.name} : {free[0]}`"
    if earlier.per_peer and earlier.cores == role.cores:
        return f"write `role {role.name} : {role.cores}, rest of {earlier.name}`"
    return f"give the phases of {role.name} and {earlier.name} to one role, or divide the cores into even and odd"
