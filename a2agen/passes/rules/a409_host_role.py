"""A role of the host that is described in cores.

The host issues copies on side streams, between a kernel that waits for the peers at the start and one that
announces at the end. It has no cores to count, it copies what a peer gets as a whole, and so it announces it.

Why it matters: a host cannot store a word after each tile; a reader that waits for tiles would wait for ever.

Instead of

    role  mover : host, one per peer
    tile  D 256
    ready notify per tile

say what the host can do:

    role  mover : host
    ready notify per peer
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A409", "host-role", requires=("A301", "A308", "A312"))
def check(schedule: Schedule, report: Report) -> None:
    for role in schedule.roles:
        if role.cores == "host" and (role.per_peer or role.rest_of is not None):
            what = "one per peer" if role.per_peer else f"rest of {role.rest_of}"
            report(
                role.span,
                f"role {role.name} is the host, and `{what}` counts cores",
                f"write `role {role.name} : host`",
                about=of(role),
            )
    for phase in schedule.phases:
        if phase.role.cores != "host" or report.found(of(phase.role), "A308"):
            continue
        if phase.tile is not None:
            report(
                phase.tile.span,
                f"phase {phase.name} is issued by the host, which copies what a peer gets at once, and not by tiles",
                f"leave out `tile {phase.tile}`",
                about=of(phase),
            )
        if phase.ready.kind in ("barrier", "signal", "flag") or phase.ready.unit in ("tile", "block"):
            report(
                phase.ready.span,
                f"phase {phase.name} is issued by the host, which announces to each peer once, and not `{phase.ready}`",
                "write `ready notify per peer`",
                about=of(phase),
            )
        elif phase.free.kind == "barrier" or phase.free.unit == "tile":
            report(
                phase.free.span,
                f"phase {phase.name} is issued by the host, which waits for each peer once, and not for `{phase.free}`",
                "write `free credit per peer`" + ("" if schedule.rounds == "epoch" else " and `rounds epoch`"),
                about=of(phase),
            )
