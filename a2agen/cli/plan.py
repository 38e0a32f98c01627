"""`a2agen plan`: what each core of a schedule does, and where its memory lies."""

from __future__ import annotations

from collections.abc import Iterator

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

    Sizes are formulas, and numbers too for the shape that --case or -D give. Where the launcher chooses, its choice is
    told for that shape, or by size for the shapes of the cases.
    """
    specs = load(paths)
    findings = without_advice(findings_of(specs))
    show(findings, sources_of(specs))
    sound = [spec for spec in specs if not spec.has_errors]
    if sound:
        chosen = narrowed(schedules(sound, schedule), case, extents)
        texts = [text for c, shape in chosen for text in _texts(c, _values(shape), schedule)]
        click.echo("\n\n".join(text.rstrip("\n") for text in texts))
    if not findings:
        return CLEAN
    from a2agen.render.text import summary

    click.echo(("\n" if sound else "") + f"{summary(findings, len(specs))}; what is at fault is not shown")
    return FOUND


def _values(shape: Shape | None) -> dict[str, int] | None:
    return None if shape is None else shape.values


def _texts(chosen: Chosen, values: dict[str, int] | None, name: str | None) -> Iterator[str]:
    """What a schedule's launcher chooses, before the plan of its first link, and the plan; at a shape only of the link
    that is taken there, unless another was asked for."""
    from a2agen.passes.choice import chooses, taken
    from a2agen.passes.choosing import describe_choice
    from a2agen.passes.planning import describe
    from a2agen.passes.ways import link_of, ways

    schedule = chosen.schedule
    asked = name == schedule.name
    if chosen.checked.sound(schedule) and chooses(schedule):
        if asked or schedule == ways(schedule)[0]:
            yield describe_choice(schedule, values)
        if not asked and values is not None and taken(schedule, values).link != link_of(schedule).name:
            return
    yield describe(schedule, values)
