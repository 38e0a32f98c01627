"""Several cores share a queue to one peer.

A queue of the RDMA engine is a ring in memory with a head that its user advances. It has no lock. So one core,
and no other, may put to a given peer through a given queue: the role of such a phase is `one per peer`. The put
then moves a slab, a block or a run as a whole; a tile would cut it into tasks for several cores.

Why it matters: two cores that take the same place in the ring overwrite each other's request. One of them is
lost, and the kernel waits for data that nobody sends, or ends in a time-out.

Instead of

    role  sender : even
    phase exchange on sender {
      link  udma
      tile  S 8, D 256

give every peer its own core, and leave out the tile:

    role  sender : even, one per peer
    phase exchange on sender {
      link  udma
"""

from dataclasses import replace

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.trial import accepted, with_role


@schedule_rule("A303", "shared-queue", requires=("A301", "A302"))
def check(schedule: Schedule, report: Report) -> None:
    cores = analysis.launch_cores(schedule)
    for phase, link in linked(schedule):
        if link.one_core_per_queue and not phase.role.per_peer and phase.role.cores != "host":
            lanes = analysis.class_lanes(analysis.CORES, phase.role.cores).evaluate({"cores": cores})
            also = ", and leave out the tile: a put moves its slab or block as a whole" if phase.tile else ""
            alone = replace(phase.role, per_peer=True)
            way_out = f"write `role {phase.role.name} : {phase.role.cores}, one per peer`"
            if phase.tile is None and not accepted(schedule, with_role(schedule, phase.role, alone), report):
                way_out = "give it to a role that is one per peer"
            report(
                phase.link.span,
                f"the {lanes} cores of role {phase.role.name} share one {link.name} queue to each peer, "
                f"and a queue takes requests of one core only",
                way_out + also,
                about=of(phase),
            )
        elif link.kind == "put" and phase.tile is not None:
            report(
                phase.tile.span,
                f"a put moves a slab, a block or a run as a whole; it is not cut into tiles of {phase.tile}",
                "leave out the tile; `ready notify per block` makes the put go block by block",
                about=of(phase),
            )
