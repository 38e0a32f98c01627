"""What commands print: findings, and columns of text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from a2agen.findings import Severity
from a2agen.render import Listing, renderer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from a2agen.findings import Finding
    from a2agen.source import Source


def colored() -> bool:
    """Whether findings are coloured: on a terminal, unless NO_COLOR is set or the terminal has no colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def show(findings: Sequence[Finding], sources: Mapping[str, Source], form: str = "text") -> None:
    """Prints findings in an output format; in `text` a blank line closes them."""
    text = renderer(form)(Listing(tuple(findings), sources, colored()))
    if text:
        click.echo(text + ("\n" if form == "text" else ""))


def without_advice(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(f for f in findings if f.severity is not Severity.ADVICE)


def many(count: int, thing: str, things: str | None = None) -> str:
    """`1 core`, `2 cores`; `things` where the plural is another."""
    return f"{count} {thing if count == 1 else things or thing + 's'}"


def columns(rows: Sequence[Sequence[str]], indent: str = "") -> str:
    """Rows of cells as lines with the cells of a column under each other."""
    widths = [max(len(row[i]) for row in rows) for i in range(max(map(len, rows), default=0) - 1)]
    lines = ((*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]) for row in rows)  # noqa: B905
    return "\n".join(f"{indent}{'  '.join(line)}".rstrip() for line in lines)
