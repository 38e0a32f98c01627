"""Runs the command line as `python -m a2agen.cli`."""

from a2agen.cli import main

main()
