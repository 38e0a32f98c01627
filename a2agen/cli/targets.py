"""`a2agen targets`: the machine profiles that a schedule can name."""

from __future__ import annotations

import click

from a2agen.cli.app import CLEAN
from a2agen.cli.output import columns


@click.command("targets", short_help="List the machines that a schedule can name.")
def command() -> int:
    """List the targets with their links, back ends and what these can do."""
    from a2agen.targets.profile import load, names

    for name in names():
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
        click.echo(columns(rows, indent="  ") + "\n")
    return CLEAN
