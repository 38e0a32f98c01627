"""The command line. Every command lives in a module of its own, and loads what it needs when it runs."""

from __future__ import annotations


def main() -> None:
    """Entry point of the `a2agen` command."""
    import sys

    try:
        from a2agen.cli import interrupts

        interrupts.keep()
        from a2agen.cli.app import run  # importing the package stays free of click

        code = run(sys.argv[1:])
        interrupts.let_go()
    except KeyboardInterrupt:
        # While modules were loaded, the one with the exit codes perhaps; later ones `run` answers itself.
        sys.stderr.write("interrupted\n")
        code = 130
    if code == 130:
        # Where the interrupt came through an exec(), as dataclasses use while modules are loaded, the interpreter would
        # end itself by the signal, whatever code it is given.
        import os
        from contextlib import suppress

        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        os._exit(code)
    sys.exit(code)
