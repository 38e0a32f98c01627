"""The copy engine on a core, or another link on the host.

`ce` is the copy engine of a GPU. The host starts it on side streams, so its phase belongs to a role that is
`host`; and the host can move data in no other way.

Why it matters: a core has no instruction that starts a copy engine, and a launcher cannot load and store.

Instead of

    role  mover : all
    phase send on mover {
      link  ce

let the host issue the phase:

    role  mover : host
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from a2agen.ir.model import CoreClass, Phase, Role, Schedule, Tile
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.trial import accepted, with_link, with_phase, with_role
from a2agen.passes.rules.wording import listed
from a2agen.targets.profile import Link


@schedule_rule("A312", "host-link", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    of_host = [link.name for link in schedule.target.links.values() if link.host_only]
    for phase, link in linked(schedule):
        if link.host_only and phase.role.cores != "host":
            report(
                phase.link.span,
                f"{link.name} is started by the host, and role {phase.role.name} is of cores ({phase.role.cores})",
                f"write `role {phase.role.name} : host`"
                + (f" and leave out `tile {phase.tile}`" if phase.tile else ""),
                about=of(phase),
            )
        elif phase.role.cores == "host" and of_host and not link.host_only:
            report(
                phase.link.span,
                f"role {phase.role.name} is the host, and {link.name} needs a core",
                _off_the_host(schedule, phase, link, of_host, report),
                about=of(phase),
            )


def _off_the_host(schedule: Schedule, phase: Phase, link: Link, of_host: list[str], report: Report) -> str:
    """A link of the host, or cores that other roles leave: what no rule refuses next, or else both in general."""
    ways = []
    if analysis.of_host(schedule):  # a host role beside roles of cores is not emitted
        ways = [f"`link {name}`" for name in of_host if accepted(schedule, with_link(schedule, phase, name), report)]
    changes = _to_cores(schedule, phase, link)
    ways += islice((words for words, changed in changes if accepted(schedule, changed, report)), 1)
    if ways:
        return f"write {listed(ways, 'or')}"
    return (
        f"give phase {phase.name} a role of cores that no other role has and what {link.name} needs, "
        f"or give all phases to the host and {listed(of_host, 'or')}"
    )


def _to_cores(schedule: Schedule, phase: Phase, link: Link) -> Iterator[tuple[str, Schedule]]:
    """Changes that give the phase cores, and a tile too where loads and stores want one: the words, and what comes."""
    axis = schedule.exchange.source.layout.axes[-1]
    for role in _of_cores(schedule, phase.role):
        changed = with_role(schedule, phase.role, role)
        yield f"`{_words(role)}`", changed
        if link.kind == "load_store" and phase.tile is None:
            (of_cores,) = (p for p in changed.phases if p.name == phase.name)
            tiled = replace(of_cores, tile=Tile(((axis, 256),), span=phase.link.span))
            yield f"`{_words(role)}` and `tile {axis} 256`", with_phase(changed, of_cores, tiled)


def _of_cores(schedule: Schedule, role: Role) -> Iterator[Role]:
    classes: tuple[CoreClass, ...] = ("all", "even", "odd")
    for per_peer in (False, True):
        yield from (replace(role, cores=cores, per_peer=per_peer) for cores in classes)
    for other in schedule.roles:
        if other.per_peer and other.name != role.name:
            yield replace(role, cores=other.cores, rest_of=other.name)


def _words(role: Role) -> str:
    kind = ", one per peer" if role.per_peer else f", rest of {role.rest_of}" if role.rest_of is not None else ""
    return f"role {role.name} : {role.cores}{kind}"
