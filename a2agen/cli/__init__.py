"""The command line. Every command lives in a module of its own, and loads what it needs when it runs."""

from __future__ import annotations


def main() -> None:
    """Entry point of the `a2agen` command."""
    import sys

    from a2agen.cli.app import run  # importing the package stays free of click

    sys.exit(run(sys.argv[1:]))
