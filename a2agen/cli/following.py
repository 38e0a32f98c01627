"""Launches of other shapes in one workspace: `--then`, and which schedules allow it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from a2agen.cli.selection import Chosen, Shape, must_lie_within, parsed

if TYPE_CHECKING:
    from a2agen.ir.model import Schedule

F = TypeVar("F", bound=Callable[..., Any])


def then_option(function: F) -> F:
    """Adds --then, once for each further launch."""
    help_of = "Extents that change for the next launch, in the same workspace; again for the launch after it."
    return click.option("--then", "then", multiple=True, metavar="NAME=N,…", help=help_of)(function)


def followed(work: Sequence[tuple[Chosen, Shape]], then: tuple[str, ...], launches: int) -> list[tuple[Chosen, Shape]]:
    """The schedules with their shapes, and those of the launches that follow.

    Raises `click.UsageError` for extents that no launch may have, and where a schedule does not allow the change.
    """
    if not then:
        return list(work)
    if launches <= len(then):
        raise click.UsageError(
            f"--then gives {len(then) + 1} shapes, and there are {launches} launches; see --launches"
        )
    found = []
    for chosen, shape in work:
        following = tuple(_changed(chosen, shape, text) for text in then)
        _must_allow(chosen.schedule, (shape.values, *following))
        found.append((chosen, replace(shape, then=following)))
    return found


def _changed(chosen: Chosen, shape: Shape, text: str) -> dict[str, int]:
    """The extents of a launch: those of the first, with what --then changes."""
    exchange = chosen.schedule.exchange
    values = {**shape.values, **parsed("--then", text.split(","))}
    must_lie_within(exchange, values, "--then")
    if values[exchange.ranks] != shape.values[exchange.ranks]:
        raise click.UsageError(f"--then {text}: the number of ranks is the same in all launches")
    return values


def _must_allow(schedule: Schedule, shapes: Iterable[dict[str, int]]) -> None:
    from a2agen.passes.shapes import forbidden

    if schedule.emit == "ascendc":
        raise click.UsageError(f"--then: the host program of {schedule.name} launches one shape, as Ascend C's do")
    reason = forbidden(schedule, tuple(shapes))
    if reason is not None:
        raise click.UsageError(f"--then: {schedule.name} {reason}")
