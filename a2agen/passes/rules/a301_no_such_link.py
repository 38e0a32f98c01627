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

from dataclasses import replace

from a2agen.ir.model import Phase, Schedule, Tile
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.trial import accepted, with_link, with_phase
from a2agen.passes.rules.wording import listed
from a2agen.passes.ways import AUTO, measured
from a2agen.targets import profile
from a2agen.targets.profile import Profile


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
            if accepted(schedule, with_link(schedule, phase, links[0].name), report):
                way_out += f", or write `link {links[0].name}`"
            report(phase.link.span, message, way_out, about=of(phase))
            continue
        why = f": {target.refused[phase.link.name]}" if phase.link.name in target.refused else ""
        message = f"{target.name} has no link {phase.link.name}{why}"
        if phase.link.name == AUTO:
            message = f"{target.name} has no two links with measured costs, of which `link auto` could take the faster"
        report(phase.link.span, message, _instead(schedule, phase, report), about=of(phase))


def _instead(schedule: Schedule, phase: Phase, report: Report) -> str:
    """Links of the target and targets with the link, as far as the rules take them; the links by name where they take
    none."""
    links = schedule.target.links
    ways = [way for name in links if (way := _way(schedule, phase, name, report)) is not None]
    there_are = f"the links of {schedule.target.name} are {listed(links)}"
    if len(links) == 1:
        there_are = f"the only link of {schedule.target.name} is {listed(links)}"
    others = (p for p in map(profile.load, profile.names()) if schedule.emit in p.backends and _has(p, phase.link.name))
    targets = [f"`target {p.name}`" for p in others if accepted(schedule, replace(schedule, target=p), report)]
    if not ways and not targets:
        return there_are
    every = [*ways, *targets]
    offered = ", or ".join(every) if any("and" in way for way in ways) else listed(every, "or")
    return f"write {offered}" + ("" if ways else f"; {there_are}")


def _way(schedule: Schedule, phase: Phase, link: str, report: Report) -> str | None:
    """A link as a help offers it, with the tile that it lacks; None where the rules refuse both."""
    linked = with_link(schedule, phase, link)
    if accepted(schedule, linked, report):
        return f"`link {link}`"
    (other,) = (p for p in linked.phases if p.name == phase.name)
    tile = Tile(((schedule.exchange.source.layout.axes[-1], 256),), span=phase.span)
    tiled = with_phase(linked, other, replace(other, tile=tile))
    return f"`link {link}` and `tile {tile}`" if accepted(schedule, tiled, report) else None


def _has(target: Profile, link: str) -> bool:
    return measured(target) is not None if link == AUTO else link in target.links


def _obstacle(schedule: Schedule, phase: Phase) -> tuple[str, str]:
    """What keeps one of two links from carrying out a phase, and what to do about it."""
    source, result, role = schedule.source.name, schedule.result.name, phase.role
    if len(schedule.phases) > 1:
        return "is not the only one", f"move {source} -> {result} in one phase"
    if role.cores != "all" or role.per_peer:
        return f"belongs to role {role.name}, which is not of all cores", f"write `role {role.name} : all`"
    if len(phase.moves) > 1:
        return (
            f"does not move {source} -> {result} at once",
            f"put `move {source} -> {result}` in the place of its moves",
        )
    if [(m.source.name, m.target.name, m.who) for m in phase.moves] != [(source, result, "all")]:
        return f"does not move {source} -> {result} alone", f"write `move {source} -> {result}`"
    if phase.tile is not None:
        return "says the tile, which is the launcher's choice too", f"leave out `tile {phase.tile}`"
    if schedule.block is not None:
        return "goes by blocks, which a copy engine does not", f"leave out `block {schedule.block.axis}`"
    said = [
        f"`{word} {how}`"
        for word, how in (("ready", phase.ready), ("free", phase.free))
        if f"{word} {how}" not in _BOTH
    ]
    if said:
        wanted = [f"`{both}`" for both in _BOTH if any(both.split()[0] in one for one in said)]
        return f"has {listed(said)}", f"write {listed(wanted)}"
    return "moves no axis that lies together on both sides", "end both tensors with the same axis"


_BOTH = ("ready notify per peer", "free credit per peer")
