"""A put over the network reads memory that is not registered with it.

`put` reaches ranks on other machines. The network adapter reads the source of such a put by itself, and can read only
what NVSHMEM has registered with it: the symmetric heap. A launcher takes the input wherever the caller has it.

Why it matters: between GPUs of one node such a put works, as loads and stores of the program. The first one that leaves
the node ends the job with an error of the adapter.

Instead of

    move  A -> P for others
    link  put

stage what is put in a symmetric buffer, by loads and stores:

    buffer K : [to S H D] symmetric
    …
    move  A -> K for others      # link ldst
    move  K -> P for others      # link put
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of


@schedule_rule("A317", "put-source-not-symmetric", requires=("A301", "A305"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if link.kind != "put" or not link.leaves_node:
            continue
        for move in phase.moves:
            source = move.source
            if source.kind == "buffer" and source.symmetric:
                continue
            if source.kind == "buffer":
                what, way_out = f"{source.name} is local", f"write `symmetric` for {source.name}"
            else:
                axes = " ".join(axis for axis in source.layout.axes if axis != source.peer_axis)
                what = f"{source.name} lies where the caller has it"
                way_out = (
                    f"stage it: `buffer NAME : [to {axes}] symmetric`, moved to by a load/store link and put from there"
                )
            report(
                move.span,
                f"{link.name} can leave the node, where the network reads from symmetric memory alone, and {what}",
                way_out,
                about=of(phase),
            )
