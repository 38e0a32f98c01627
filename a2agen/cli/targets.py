"""`a2agen targets`: the machine profiles that a schedule can name."""

from __future__ import annotations

import click

from a2agen.cli.app import CLEAN
from a2agen.cli.selection import meant


@click.command("targets", short_help="List the machines that a schedule can name.")
@click.argument("wanted", metavar="[NAME...]", nargs=-1)
def command(wanted: tuple[str, ...]) -> int:
    """List the targets, or those of the names, with their links, back ends and what these can do."""
    from a2agen.passes.columns import columns
    from a2agen.targets.profile import load, names

    for name in wanted:
        if name not in names():
            raise click.UsageError(f"there is no target {name}; {meant('target', name, names())}")
    for name in wanted or names():
        profile = load(name)
        click.echo(f"{profile.name}: {profile.description}")
        rows = [
            ("chips", ", ".join(profile.chips)),
            ("cores", str(profile.cores)),
            ("links", ", ".join(f"{link.name} ({link.reach} ranks)" for link in profile.links.values())),
            ("heap", f"{profile.heap_max_bytes / 2**30:g} GiB"),
        ]
        if profile.ub_bytes is not None:
            rows.append(("on-chip", f"{profile.ub_bytes / 2**10:g} KiB a core"))
        for backend in profile.backends.values():
            rows.append((backend.name, f"{backend.variant}: {', '.join(sorted(backend.capabilities))}"))
        rows += [(f"no {what}", why) for what, why in profile.refused.items()]
        click.echo("\n".join(columns(rows, "  ")) + "\n")
    return CLEAN
