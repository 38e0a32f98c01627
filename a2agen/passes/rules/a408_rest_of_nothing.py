"""The rest of a role that leaves nothing.

`rest of sender` is what `sender` leaves of its own class. Only a role that is `one per peer` leaves anything,
and only in its class.

Why it matters: the role would have no core at all, or cores that another role has.

Instead of

    role sender : even
    role filler : even, rest of sender

let the sender take one core for each peer, or give the filler's work to it:

    role sender : even, one per peer
    role filler : even, rest of sender
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A408", "rest-of-nothing")
def check(schedule: Schedule, report: Report) -> None:
    by_name = {r.name: r for r in reversed(schedule.roles)}
    for role in schedule.roles:
        leader = by_name.get(role.rest_of) if role.rest_of else None
        if leader is None:
            continue
        if leader.cores != role.cores:
            report(
                role.span,
                f"role {role.name} is of {role.cores} cores, and {leader.name}, whose rest it is, of {leader.cores}",
                (f"write `role {role.name} : {leader.cores}, rest of {leader.name}`, or " if leader.per_peer else "")
                + f"leave out `rest of {leader.name}`",
                about=of(role),
            )
        elif not leader.per_peer:
            kind = "" if leader.cores == "all" else f"{leader.cores} "
            report(
                role.span,
                f"role {leader.name} has all {kind}cores and leaves none for role {role.name}",
                f"write `role {leader.name} : {leader.cores}, one per peer`",
                about=of(role),
            )
