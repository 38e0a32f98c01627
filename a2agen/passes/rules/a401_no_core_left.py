"""A role is left without a core.

`rest of sender` has the cores of the class that `sender` leaves, and a role that is `one per peer` takes one
core for each other rank and queue. With enough ranks it takes them all.

Why it matters: nobody does the work of the role without a core. Its slab is never copied, and the reader waits
for ever or returns what was in memory before. The kernel is right in small tests and fails on the first large
group.

Instead of

    ranks W in 2..64
    role  sender : even, one per peer          # W - 1 = 63 of 32 even cores
    role  filler : even, rest of sender

lower the upper bound of the ranks, give the launch more `cores`, or give the role a class of its own:

    role  sender : even, one per peer
    role  reader : odd
    phase gather on reader {
      move  P -> C for others
      move  A -> C for self
"""

from a2agen.ir.expr import Sym
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.remedy import ranks_within
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.wording import at


@schedule_rule("A401", "no-core-left")
def check(schedule: Schedule, report: Report) -> None:
    cores = analysis.launch_cores(schedule)
    ranks = next(e for e in schedule.exchange.bounds.extents if e.name == schedule.exchange.ranks)
    used = {phase.role.name for phase in schedule.phases}
    by_name = {r.name: r for r in reversed(schedule.roles)}
    for role in schedule.roles:
        leader = by_name.get(role.rest_of) if role.rest_of else None
        if leader is None or not leader.per_peer or leader.cores != role.cores or role.name not in used:
            continue
        # More queues than the library has are a fault of the link, not of the roles.
        queues = min(analysis.queues(schedule, leader), max(1, schedule.target.backends[schedule.emit].queues_max))
        taken = (Sym(schedule.exchange.ranks) - 1) * queues
        lanes = analysis.class_lanes(analysis.CORES, role.cores).evaluate({"cores": cores})
        values = schedule.exchange.bounds.above(taken, lanes - 1)
        if values is None or lanes == 0:
            continue
        kind = "" if role.cores == "all" else f"{role.cores} "
        first = values[ranks.name]
        most = schedule.exchange.bounds.maximum(taken)
        report(
            role.span,
            f"no core is left for role {role.name} from {at(values, taken)} on: it needs {most + 1} {kind}cores, "
            f"{most} of them for {leader.name} ({taken}) at the upper bound; the launch has {lanes} of them",
            (f"{ranks_within(schedule.exchange, ranks.lo, first - 1)}, or " if first > ranks.lo else "")
            + f"let a role of another class do the work of {role.name}",
            about=of(role),
        )
