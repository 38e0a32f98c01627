"""The group of commands, and what becomes of failures: exit codes and messages."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from a2agen import __version__

COMMANDS = ("compile", "lint", "run", "bench", "build", "simulate", "plan", "explain", "targets")

CLEAN, FOUND, FAILED = 0, 1, 2
# What shells report for a process ended by SIGINT and by SIGPIPE.
INTERRUPTED, PIPE_CLOSED = 130, 141


class Commands(click.Group):
    """Loads a command's module when the command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"a2agen.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of a name; of an unknown one the failure says which was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as failure:
            from difflib import get_close_matches

            for close in get_close_matches(args[0], COMMANDS, n=1):
                raise click.UsageError(f"{failure.message} Did you mean '{close}'?", ctx) from failure
            raise


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 clean; 1 findings, stale files or a wrong result; 2 wrong use or an internal error.",
)
@click.version_option(__version__, message="a2agen %(version)s")
def app() -> None:
    """Compile declarative all-to-all exchanges into checked communication kernels."""


def run(arguments: list[str]) -> int:
    """Runs a command line and returns its exit code. Only A2AGEN_DEBUG=1 lets an exception through."""
    for stream in (sys.stdout, sys.stderr):
        # A spec may hold characters that the terminal's encoding lacks.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app.main(arguments, prog_name="a2agen", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as failure:
        failure.show()
        return FAILED
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output is gone. The interpreter must not fail on it once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as failure:
        if _interrupted(failure):
            # Whoever was interrupted failed on it: a module half loaded, a folder that could not be taken away.
            click.echo("interrupted", err=True)
            return INTERRUPTED
        if os.environ.get("A2AGEN_DEBUG") == "1":
            raise
        text = " ".join(f"{type(failure).__name__}: {failure}".split())
        click.echo(
            f"a2agen: internal error: {text}. This is a fault of a2agen, please report it; "
            "A2AGEN_DEBUG=1 in the environment shows where it happened.",
            err=True,
        )
        return FAILED
    return code if isinstance(code, int) else CLEAN


def _interrupted(failure: BaseException | None) -> bool:
    """Whether an exception comes of an interrupt, by its causes and what was being handled."""
    seen: list[BaseException] = []  # causes that go in a circle are possible
    while failure is not None and failure not in seen:
        if isinstance(failure, KeyboardInterrupt):
            return True
        seen.append(failure)
        failure = failure.__cause__ or failure.__context__
    return False
