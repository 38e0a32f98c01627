"""`a2agen plan`: what each core of a schedule does, and where its memory lies."""

from __future__ import annotations

import click

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.output import show, without_advice
from a2agen.cli.selection import Chosen, Shape, narrowed, schedules, shape_options
from a2agen.cli.specs import findings_of, load, sources_of, specs_argument


@click.command("plan", short_help="Show what each core does and where memory lies.")
@specs_argument
@shape_options
def command(paths: tuple[str, ...], schedule: str | None, case: str | None, extents: tuple[str, ...]) -> int:
    """Show the plan of schedules: operations by role, buffers, signals.

    Sizes are formulas, and numbers too for the shape that --case or -D give.
    """
    specs = load(paths)
    findings = without_advice(findings_of(specs))
    show(findings, sources_of(specs))
    sound = [spec for spec in specs if not spec.has_errors]
    if sound:
        from a2agen.passes.planning import describe

        chosen = narrowed(schedules(sound, schedule), case, extents)
        texts = [text for c, shape in chosen for text in (*_choice(c, shape), describe(c.schedule, _values(shape)))]
        click.echo("\n\n".join(text.rstrip("\n") for text in texts))
    return FOUND if findings else CLEAN


def _values(shape: Shape | None) -> dict[str, int] | None:
    return None if shape is None else shape.values


def _choice(chosen: Chosen, shape: Shape | None) -> tuple[str, ...]:
    """Before the first plan of several that a launcher chooses between: which one it takes, and why."""
    schedule = chosen.schedule
    if schedule.auto is None or not chosen.checked.sound(schedule):
        return ()
    from a2agen.passes.choice import describe_choice
    from a2agen.passes.ways import ways

    if schedule != ways(schedule)[0]:
        return ()
    cases = {case.name: case.values for case in schedule.exchange.cases}
    return (describe_choice(schedule, cases if shape is None else {shape.case or "": shape.values}),)
