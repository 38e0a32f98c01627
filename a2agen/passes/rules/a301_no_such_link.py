"""The target has no such link, or none to choose from.

A phase names the link that its data travels by, and a machine has only some of them: load/store by the vector cores
everywhere on Ascend (`mte`), the UDMA engine on Ascend 950 alone, and on an NVIDIA GPU `ldst`, `ce` and `put`.

`auto` stands for the faster of two at a shape: the link of the cores, or the copy engine. The launcher chooses by costs
that were measured on the target. It can choose where both can carry out the phase: the only one of its schedule, of a
role of all cores, straight from the input to the output, without a tile, announced and freed per peer.

Why it matters: aclshmem's UDMA calls compile for other chips too, and in a release build do nothing there. The kernel
runs, and the data never arrives. And without known costs a choice of links is a guess.

Instead of

    schedule s for e {
      target ascend910c
      …
      link udma

name a link that the target has (`link mte`), or a target that has the link (`target ascend950`). `a2agen targets`
lists both.
"""

from a2agen.ir.model import Phase, Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.wording import listed
from a2agen.passes.ways import AUTO, measured
from a2agen.targets import profile


@schedule_rule("A301", "no-such-link")
def check(schedule: Schedule, report: Report) -> None:
    target = schedule.target
    links = measured(target)
    for phase in schedule.phases:
        if phase.link.name in target.links:
            continue
        if phase.link.name == AUTO and links is not None:
            what, way_out = _obstacle(schedule, phase)
            named = listed(link.name for link in links)
            message = f"`link auto` chooses between {named}, and phase {phase.name} {what}"
            report(phase.link.span, message, f"{way_out}, or write `link {links[0].name}`", about=of(phase))
            continue
        others = [p for p in map(profile.load, profile.names()) if schedule.emit in p.backends]
        has = [other.name for other in others if phase.link.name in other.links]
        message = f"{target.name} has no link {phase.link.name}"
        if phase.link.name == AUTO:
            has = [other.name for other in others if measured(other) is not None]
            message = f"{target.name} has no two links with measured costs, of which `link auto` could take the faster"
        ways = [*(f"`link {name}`" for name in target.links), *(f"`target {name}`" for name in has)]
        report(phase.link.span, message, f"write {listed(ways, 'or')}", about=of(phase))


def _obstacle(schedule: Schedule, phase: Phase) -> tuple[str, str]:
    """What keeps one of two links from carrying out a phase, and what to do about it."""
    source, result, role = schedule.source.name, schedule.result.name, phase.role
    if len(schedule.phases) > 1:
        return "is not the only one", f"move {source} -> {result} in one phase"
    if role.cores != "all" or role.per_peer:
        return f"belongs to role {role.name}, which is not of all cores", f"write `role {role.name} : all`"
    if [(m.source.name, m.target.name, m.who) for m in phase.moves] != [(source, result, "all")]:
        return f"does not move {source} -> {result} alone", f"write `move {source} -> {result}`"
    if phase.tile is not None:
        return "says the tile, which is the launcher's choice too", f"leave out `tile {phase.tile}`"
    if schedule.block is not None:
        return "goes by blocks, which a copy engine does not", f"leave out `block {schedule.block.axis}`"
    if str(phase.ready) != "notify per peer":
        return f"has `ready {phase.ready}`", "write `ready notify per peer`"
    if str(phase.free) != "credit per peer":
        return f"has `free {phase.free}`", "write `free credit per peer`"
    return "moves no axis that lies together on both sides", "end both tensors with the same axis"
