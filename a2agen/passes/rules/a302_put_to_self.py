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
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of


@schedule_rule("A302", "put-to-self", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        for move in phase.moves:
            if link.remote_only and "self" in move.pairs():
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
