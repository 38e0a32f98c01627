"""`a2agen plan`: what each core of a schedule does, and where its memory lies."""

from __future__ import annotations

import click

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.output import show, without_advice
from a2agen.cli.selection import narrowed, schedules, shape_options
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
        texts = [describe(c.schedule, shape.values if shape else None).rstrip("\n") for c, shape in chosen]
        click.echo("\n\n".join(texts))
    return FOUND if findings else CLEAN
