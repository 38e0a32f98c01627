"""The ways of a schedule that says `link auto`: the same one by each link that its launcher chooses from."""

from __future__ import annotations

from dataclasses import replace

from a2agen.ir.expr import Expr, Sym, mul
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.targets.profile import Link, Profile

AUTO = "auto"
"""What stands for a link that the launcher chooses."""


def measured(target: Profile) -> tuple[Link, Link] | None:
    """The link of the cores and the copy engine whose costs a target knows; None where there is no choice."""
    of_cores = [link for link in target.links.values() if link.costs is not None]
    of_host = [link for link in target.links.values() if link.engine_costs is not None]
    return (of_cores[0], of_host[0]) if of_cores and of_host else None


def expanded(schedule: Schedule) -> tuple[Schedule, ...]:
    """The ways of a schedule, its cores' first; the schedule itself where no link is chosen, or none can be.

    A launcher chooses where it would choose the tiles too, had the schedule the link of the cores: the data goes
    straight from the input to the output, in one phase of all cores.
    """
    links = measured(schedule.target)
    if links is None or [phase.link.name for phase in schedule.phases] != [AUTO]:
        return (schedule,)
    of_cores, of_host = (_by(schedule, link) for link in links)
    if schedule.phases[0].role.cores != "all" or not analysis.launcher_tiles(of_cores, of_cores.phases[0]):
        return (schedule,)
    return (of_cores, of_host)


def ways(schedule: Schedule) -> tuple[Schedule, ...]:
    """All ways of the spec's schedule that a sound one is a way of; itself where that chooses no link."""
    links = measured(schedule.target)
    if schedule.auto is None or links is None:
        return (schedule,)
    declared = replace(schedule, name=schedule.auto)
    return tuple(_by(declared, link) for link in links)


def link_of(way: Schedule) -> Link:
    """The link that a way has."""
    (phase,) = way.phases
    return way.target.link(phase.link.name)


def remote_bytes(schedule: Schedule) -> Expr:
    """The bytes that a rank sends to others, over the extents."""
    exchange = schedule.exchange
    return mul(schedule.source.element_bytes, Sym(exchange.ranks) - 1, *(Sym(dim) for dim in exchange.dims))


def described(way: Schedule) -> str:
    """What the link of a way costs, in words."""
    link = link_of(way)
    costs = link.costs or link.engine_costs
    assert costs is not None  # or it were no link to choose
    return f"{link.name} starts in {costs.start_ns / 1e3:g} us, and carries {costs.rate / 1e3:g} GB/s to other ranks"


def _by(schedule: Schedule, link: Link) -> Schedule:
    """The schedule with a link in the place of `auto`, its role and its name to match."""
    (phase,) = schedule.phases
    role = replace(phase.role, cores="host" if link.host_only else "all")
    roles = tuple(role if r.name == role.name else r for r in schedule.roles)
    made = replace(phase, role=role, link=replace(phase.link, name=link.name))
    return replace(schedule, name=f"{schedule.name}_{link.name}", auto=schedule.name, roles=roles, phases=(made,))
