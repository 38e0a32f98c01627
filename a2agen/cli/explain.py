"""`a2agen explain`: what a rule checks, why, and the way out."""

from __future__ import annotations

import click

from a2agen.cli.app import CLEAN
from a2agen.cli.output import columns


@click.command("explain", short_help="Explain a rule, or list all.")
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain the rule of a code such as A301; without a code, list all rules."""
    from a2agen.passes.rules.registry import rules

    known = sorted(rules(), key=lambda rule: rule.code)
    if code is None:
        click.echo(columns([(rule.code, rule.severity.value, rule.name, rule.summary) for rule in known]))
        return CLEAN
    for rule in known:
        if code.upper() == rule.code:
            click.echo(f"{rule.code} {rule.name} ({rule.severity.value})\n")
            click.echo(rule.doc.strip("\n"))
            return CLEAN
    family = [rule.code for rule in known if rule.code[:2] == code.upper()[:2]]
    hint = f"the rules of its family are {', '.join(family)}" if family else "a2agen explain lists all rules"
    raise click.UsageError(f"there is no rule {code}; {hint}")
