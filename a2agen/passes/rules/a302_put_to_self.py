"""A put to the own rank.

A move is for all ranks unless it says otherwise, the own rank included. The UDMA engine has no connection to
its own rank. NVSHMEM takes such a put, and copies by the one program that asks for it.

Why it matters: aclshmem checks the destination in a debug build only. In a release build such a put goes to a
queue that does not exist, and the own slab never arrives. On a GPU the launch waits for the one program that copies
what all of them could.

Instead of

    move  A -> P
    link  udma

put to the other ranks, and let a phase on a load/store link move the own slab, straight to the output or
through a corner of P:

    move  A -> P for others
    link  udma
    …
    move  A -> C for self
    link  mte

A move between two places of the sender, or of the receiver, stays on its rank too: give it a load/store link.
"""

from a2agen.ir.model import Phase, Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of, own_rank
from a2agen.passes.rules.trial import accepted, with_link

_STAYS = {True: "at the sender", False: "at the receiver"}


@schedule_rule("A302", "put-to-self", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        for move in phase.moves:
            if link.remote_only and own_rank(move):
                if not move.crosses:
                    report(
                        move.span,
                        f"{link.name} is for other ranks alone, and from {move.source.name} to {move.target.name} "
                        f"slabs stay on their rank, {_STAYS[move.target.side == 'sender']}",
                        _by_stores(schedule, phase, report),
                        about=of(phase),
                    )
                    continue
                if move.who == "self":
                    fix = "move the own slab by a load/store link"
                else:
                    others = f"move {move.source.name} -> {move.target.name} for others"
                    fix = f"write `{others}`, and move the own slab by a load/store link"
                report(
                    move.span,
                    f"{link.name} is for other ranks alone, and this move is for {move.who}",
                    fix,
                    about=of(phase),
                )


def _by_stores(schedule: Schedule, phase: Phase, report: Report) -> str:
    """The help that gives a phase a load/store link, and the tile that such a link wants."""
    stores = [name for name, link in schedule.target.links.items() if link.kind == "load_store"]
    holds = [name for name in stores if accepted(schedule, with_link(schedule, phase, name), report)]
    return f"write `link {(holds or stores)[0]}`" + ("" if holds else f" and give phase {phase.name} a tile")
