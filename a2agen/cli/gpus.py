"""What the commands that use GPUs share: which machine there is, and shapes that fit it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from a2agen.cli.selection import Chosen, Shape
    from a2agen.engines.cuda.run import Machine


def machine_for(work: Iterable[tuple[Chosen, Shape]], *, shared: bool) -> Machine:
    """The GPUs for these schedules at these shapes; `shared`: whether ranks may share them.

    Raises `click.ClickException` where there are none, and `click.UsageError` for numbers of ranks that do not fit.
    """
    from a2agen.engines.cuda.machine import UnavailableError, gpus, place
    from a2agen.engines.cuda.run import Machine

    try:
        here = place()
        found = gpus()
    except UnavailableError as failure:
        raise click.ClickException(str(failure)) from failure
    work = list(work)
    for chosen, shape in work:
        if here is not None and here.local != here.size and (link := _link_within_node(chosen)) is not None:
            raise click.UsageError(
                f"torchrun started {here.size} ranks, {here.local} of them here: the link {link} of "
                f"{chosen.schedule.name} stays within one machine, and `link put` alone leaves it; "
                "start all ranks on one"
            )
        name = chosen.schedule.exchange.ranks
        ranks = shape.values[name]
        if here is not None and ranks != here.size:
            raise click.UsageError(
                f"{chosen.schedule.name} at {shape} has {ranks} ranks, and torchrun started {here.size}: "
                f"give {name}={here.size} and the other extents with -D, or start {ranks}"
            )
        if here is None and ranks > found and not shared:
            raise click.UsageError(
                f"{chosen.schedule.name} at {shape} has {ranks} ranks, and there are {found} GPUs: ranks that share "
                f"a GPU show no speed; give {name}={found} or less and the other extents with -D"
            )
    return Machine(found, here)


def _link_within_node(chosen: Chosen) -> str | None:
    """A link by which a schedule writes to other ranks, and which reaches those of one machine only."""
    from a2agen.passes.analysis import within_node

    return next((phase.link.name for phase in within_node(chosen.schedule)), None)


def speaks(machine: Machine | None) -> bool:
    """Whether this process prints: under torchrun the first rank alone does."""
    return machine is None or machine.place is None or machine.place.rank == 0
