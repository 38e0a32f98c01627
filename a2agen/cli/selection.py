"""Which schedules of the given specs a command is about, and for which shapes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from a2agen.cli.specs import Spec

if TYPE_CHECKING:
    from a2agen.findings import Finding
    from a2agen.ir.model import Exchange, Schedule
    from a2agen.passes.check import Checked

F = TypeVar("F", bound=Callable[..., Any])
MEMORY_GIB = 8


@dataclass(frozen=True, slots=True)
class Chosen:
    """A schedule with the spec it comes from."""

    spec: Spec
    checked: Checked
    schedule: Schedule

    @property
    def record(self) -> dict[str, object]:
        """What JSON says of which schedule it is, with the link where the launcher chooses between several."""
        from a2agen.passes.ways import link_of

        schedule = self.schedule
        link = {} if schedule.auto is None else {"link": link_of(schedule).name}
        return {"exchange": schedule.exchange.name, "schedule": schedule.declared, **link}


@dataclass(frozen=True, slots=True)
class Shape:
    """Values for the ranks and every dim. `case` is None for values given on the command line.

    `then` are the values of launches that follow in the same workspace, in turn.
    """

    case: str | None
    values: dict[str, int]
    then: tuple[dict[str, int], ...] = ()

    def __str__(self) -> str:
        first = " ".join(f"{name}={value}" for name, value in self.values.items())
        return ", then ".join([first, *(self._changes(values) for values in self.then)])

    def _changes(self, values: dict[str, int]) -> str:
        changed = (f"{name}={value}" for name, value in values.items() if value != self.values[name])
        return " ".join(changed) or "the same"


def shape_options(function: F) -> F:
    """Adds --schedule, --case and -D."""
    for option in (
        click.option("-D", "extents", multiple=True, metavar="NAME=N", help="A value for an extent; once for each."),
        click.option("--case", metavar="NAME", help="Only this case."),
        click.option("--schedule", metavar="NAME", help="Only this schedule."),
    ):
        function = option(function)
    return function


def memory_option(function: F) -> F:
    """Adds --memory, the most that a simulation may take."""
    help_of = f"GiB that the ranks' memory may take; {MEMORY_GIB} or what the machine has, if that is less."
    return click.option("--memory", type=click.IntRange(1), metavar="GIB", help=help_of)(function)


def must_fit_memory(work: Iterable[tuple[Chosen, Shape | None]], gib: int | None) -> None:
    """Raises `click.UsageError` for a shape whose simulated memory is more than --memory allows."""
    from a2agen.engines.cpu.run import memory_needed  # numpy and the executor

    limit = gib << 30 if gib is not None else min(MEMORY_GIB << 30, _machine_bytes())
    for chosen, shape in work:
        launched = () if shape is None else (shape.values, *shape.then)
        needed = max((memory_needed(chosen.schedule, values) for values in launched), default=0)
        if needed > limit:
            size = f"{needed} bytes ({needed / 2**30:.1f} GiB)"
            raise click.UsageError(
                f"{chosen.schedule.name} at {shape} needs about {size} for all ranks, "
                f"and {limit} may be taken; take smaller extents, or allow more with --memory"
            )


def _machine_bytes() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def schedules(specs: Iterable[Spec], name: str | None) -> list[Chosen]:
    """The schedules of that name, or all; raises `click.UsageError` where there is none.

    One that leaves the link to the launcher is there once for each, and each by its own name too.
    """
    specs = list(specs)
    known = [
        Chosen(spec, spec.checked, s) for spec in specs if spec.checked is not None for s in spec.checked.schedules
    ]
    if not known:
        verb = click.get_current_context().info_name
        raise click.UsageError(f"{no_schedule(spec.path for spec in specs)}: there is nothing to {verb}")
    chosen = [c for c in known if name in (None, c.schedule.declared)] or [c for c in known if name == c.schedule.name]
    if not chosen:
        names = (c.schedule.declared for c in known)
        raise click.UsageError(f"there is no schedule {name}; {meant('schedule', name, names)}")
    return chosen


def no_schedule(paths: Iterable[str]) -> str:
    """That specs have no schedule."""
    names = list(paths)
    return f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no schedule"


def runnable(chosen: list[Chosen], engine: str) -> tuple[list[Chosen], tuple[Finding, ...]]:
    """The schedules that are emitted today and that an engine runs, and findings that say why not the others."""
    from a2agen.emit.unsupported import unsupported
    from a2agen.engines.support import unrunnable

    able: list[Chosen] = []
    findings: list[Finding] = []
    for c in chosen:
        source = c.checked.source
        refused = unsupported(c.schedule, source) or unrunnable(c.schedule, source, engine)
        findings += refused
        if not refused:
            able.append(c)
    return able, tuple(findings)


def narrowed(chosen: list[Chosen], case: str | None, extents: tuple[str, ...]) -> list[tuple[Chosen, Shape | None]]:
    """Each schedule with the shape that --case or -D give, None where neither does.

    Schedules whose exchange lacks the case are left out. Raises `click.UsageError` when none has it, or for values
    that are not those of all extents, or that the exchange's bounds rule out.
    """
    if case is not None and extents:
        raise click.UsageError("--case and -D exclude each other")
    if extents:
        values = parsed("-D", extents)
        for c in chosen:
            must_lie_within(c.schedule.exchange, values, "-D")
        return [(c, Shape(None, values)) for c in chosen]
    if case is None:
        return [(c, None) for c in chosen]
    pairs = [(c, Shape(k.name, dict(k.values))) for c in chosen for k in c.schedule.exchange.cases if k.name == case]
    if not pairs:
        names = (k.name for c in chosen for k in c.schedule.exchange.cases)
        raise click.UsageError(f"there is no case {case}; {meant('case', case, names)}")
    return list(pairs)


def shapes(chosen: list[Chosen], case: str | None, extents: tuple[str, ...]) -> list[tuple[Chosen, Shape]]:
    """Each schedule with each of its shapes: the one that --case or -D give, else all cases of its exchange."""
    pairs: list[tuple[Chosen, Shape]] = []
    for c, shape in narrowed(chosen, case, extents):
        cases = [Shape(k.name, dict(k.values)) for k in c.schedule.exchange.cases]
        pairs += [(c, s) for s in (cases if shape is None else [shape])]
    if not pairs:
        raise click.UsageError("the exchange has no case; add one, or give its extents with -D")
    return pairs


def parsed(option: str, extents: Iterable[str]) -> dict[str, int]:
    """Values by their names, each given as NAME=N; raises `click.UsageError` for what is none, or given twice."""
    values: dict[str, int] = {}
    for text in extents:
        name, equals, number = text.partition("=")
        if not equals or not name or not (number.isascii() and number.isdigit()):
            raise click.UsageError(f"{option} {text}: expected a name and a number, as in {option} S=64")
        if name in values:
            raise click.UsageError(f"{option} gives {name} twice")
        values[name] = int(number[:19])
    return values


def must_lie_within(exchange: Exchange, values: dict[str, int], option: str) -> None:
    """Raises `click.UsageError` for values that are not those of all extents, or that the bounds rule out."""
    bounds = {e.name: e for e in exchange.bounds.extents}
    for name, value in values.items():
        if name not in bounds:
            raise click.UsageError(
                f"{option} {name}={value}: {exchange.name} has no such extent; {meant('extent', name, bounds)}"
            )
        low, high = bounds[name].lo, bounds[name].hi
        if not low <= value <= high:
            raise click.UsageError(f"{option} {name}={value}: {name} lies in {low}..{high}")
    missing = [name for name in bounds if name not in values]
    if missing:
        raise click.UsageError(f"{option} gives no value for {', '.join(missing)}; {exchange.name} needs all extents")
    for where in exchange.bounds.where:
        if not where.holds(values):
            raise click.UsageError(f"the values given break the bound {where} of {exchange.name}")


def _known(what: str, names: Iterable[str]) -> str:
    """What there is instead: `the only case is tails`, `the cases are tails, decode`."""
    listed = list(dict.fromkeys(names))
    if not listed:
        return f"there is no {what} at all"
    return f"the only {what} is {listed[0]}" if len(listed) == 1 else f"the {what}s are {', '.join(listed)}"


def meant(what: str, name: str | None, names: Iterable[str]) -> str:
    """The name that was meant where one is close, else all there are."""
    from difflib import get_close_matches

    listed = list(dict.fromkeys(names))
    close = [other for other in listed if other.lower() == str(name).lower()]
    close = close or get_close_matches(str(name), listed, n=1, cutoff=0.7)
    return f"did you mean {close[0]}?" if close else _known(what, listed)
