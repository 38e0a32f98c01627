"""Tools of the machine that an engine needs: where one is missing, that is one clear error before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from a2agen.cli.selection import Chosen


def must_have_tools(chosen: Iterable[Chosen]) -> None:
    """Raises `click.ClickException` where a schedule is emitted in Ascend C, and no C++ compiler is there."""
    if any(c.schedule.emit == "ascendc" for c in chosen):
        from a2agen.engines.ascendc.toolchain import compiler

        with tools():
            compiler()


@contextmanager
def tools() -> Iterator[None]:
    """Raises `click.ClickException` for a tool that is missing, or does not work."""
    from a2agen.engines.ascendc.toolchain import ToolError

    try:
        yield
    except ToolError as missing:
        raise click.ClickException(str(missing)) from missing
