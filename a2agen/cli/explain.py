"""`a2agen explain`: what a rule checks, why, and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from a2agen.cli.app import CLEAN

if TYPE_CHECKING:
    from a2agen.passes.rules.rule import Rule


@click.command("explain", short_help="Explain a rule, or list all.")
@click.argument("code", required=False)
def command(code: str | None) -> int:
    """Explain the rule of a code such as A301, or of a name; list the rules of a family such as A3, or all."""
    from a2agen.passes.columns import columns
    from a2agen.passes.rules.registry import rules

    known = sorted(rules(), key=lambda rule: rule.code)
    wanted = "" if code is None else code.upper() if code[:1] in "aA" else f"A{code}"
    for rule in known:
        if code is not None and (wanted == rule.code or code.lower() == rule.name):
            click.echo(f"{rule.code} {rule.name} ({rule.severity.value})\n")
            click.echo(rule.doc.strip("\n"))
            return CLEAN
    if code is None or len(wanted) == len("A3"):
        listed = [rule for rule in known if rule.code.startswith(wanted)]
        if listed:
            click.echo("\n".join(columns([(r.code, r.severity.value, r.name, r.summary) for r in listed])))
            return CLEAN
    raise click.UsageError(f"there is no rule {code}; {_instead(str(code), wanted, known)}")


def _instead(code: str, wanted: str, known: list[Rule]) -> str:
    """The rules that may have been meant."""
    from difflib import get_close_matches

    family = [rule.code for rule in known if rule.code[:2] == wanted[:2]]
    if family and wanted[1:].isdigit():
        return f"the rules of its family are {', '.join(family)}"
    close = get_close_matches(code.lower(), [rule.name for rule in known], n=1)
    return f"did you mean {close[0]}?" if close else "a2agen explain lists all rules"
