"""A put over the network reads memory that is not registered with it.

`put` reaches ranks on other machines. The network adapter reads the source of such a put by itself, and can read only
what NVSHMEM has registered with it: the symmetric heap. A launcher takes the input wherever the caller has it.

Why it matters: between GPUs of one node such a put works, as loads and stores of the program. The first one that leaves
the node ends the job with an error of the adapter.

Instead of

    move  A -> P for others
    link  put

stage what is put in a symmetric buffer, by loads and stores of a phase with a role and a tile of its own:

    buffer K : [to S H D] symmetric
    …
    role  packer : odd
    role  sender : even, one per peer
    phase pack on packer {
      move  A -> K for others
      link  ldst
      tile  S 8, D 512
      ready notify per tile
    }
    phase send on sender {
      move  K -> P for others
      link  put
      ready signal per peer
      free  credit per peer
    }

`place A symmetric` does not spare that: launchers take an input wherever the caller has it.
"""

from dataclasses import replace

from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes.paths import for_whom, impossible
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of, own_rank
from a2agen.passes.rules.trial import accepted, with_move
from a2agen.passes.rules.wording import listed


@schedule_rule("A317", "put-source-not-symmetric", requires=("A301", "A305"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        if link.kind != "put" or not link.leaves_node:
            continue
        for move in phase.moves:
            source = move.source
            # A put to the own rank is a fault by itself (A302), and what makes up for it is no put.
            if (source.kind == "buffer" and source.symmetric) or (link.remote_only and own_rank(move)):
                continue
            if source.kind == "buffer":
                what, way_out = f"{source.name} is local", f"write `symmetric` for {source.name}"
            else:
                what = f"{source.name} lies where the caller has it"
                what += f", `place {source.name} symmetric` or not" if source.symmetric else ""
                way_out = _staged(schedule, phase, move, report)
            report(
                move.span,
                f"{link.name} can leave the node, where the network reads from symmetric memory alone, and {what}",
                way_out,
                about=of(phase),
            )


def _staged(schedule: Schedule, phase: Phase, move: Move, report: Report) -> str:
    """The help for a put from the input: the buffer of the sender that the spec has for it, or how to make one."""
    source, target, who = move.source, move.target, for_whom(move)
    stores = [name for name, link in schedule.target.links.items() if link.kind == "load_store"]
    for buffer in schedule.buffers:
        packed = replace(move, source=buffer)
        if buffer.side != "sender" or not buffer.symmetric or impossible(packed) is not None:
            continue
        if accepted(schedule, with_move(schedule, phase, move, packed), report):
            return f"write `move {buffer.name} -> {target.name}{who}`"
    axes = " ".join(axis for axis in source.layout.axes if axis != source.peer_axis)
    return (
        f"stage it: `buffer NAME : [to {axes}] symmetric`, `move {source.name} -> NAME{who}` by {listed(stores, 'or')} "
        f"in a phase of its own, and `move NAME -> {target.name}{who}` here; `a2agen explain A317` shows the whole"
    )
