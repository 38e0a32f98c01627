"""`a2agen lint`: check specs."""

from __future__ import annotations

import click

from a2agen.cli.app import CLEAN, FOUND
from a2agen.cli.output import format_option, show, without_advice
from a2agen.cli.specs import findings_of, load, sources_of, specs_argument
from a2agen.findings import fails
from a2agen.render import FORMATS


@click.command("lint", short_help="Check specs.")
@specs_argument
@format_option(FORMATS)
@click.option("--advice", is_flag=True, help="Show advice (7xx) too; it never changes the exit code.")
def command(paths: tuple[str, ...], form: str, advice: bool) -> int:
    """Check specs and report every fault."""
    specs = load(paths)
    found = findings_of(specs)
    shown = found if advice else without_advice(found)
    show(shown, sources_of(specs), form)
    if form == "text":
        from a2agen.render.text import summary

        hidden = len(found) - len(shown)
        click.echo(summary(shown, len(specs)) + (f" (--advice shows {hidden} more)" if hidden else ""))
    return FOUND if fails(found) else CLEAN
