"""What commands print: findings, and in which format."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from a2agen.findings import Severity
from a2agen.render import Listing, renderer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from a2agen.findings import Finding
    from a2agen.source import Source


F = TypeVar("F", bound=Callable[..., Any])


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


def format_option(formats: Sequence[str] = ("text", "json")) -> Callable[[F], F]:
    """`--format`, as an argument `form`."""
    return click.option(
        "--format", "form", type=click.Choice(formats), default="text", show_default=True, help="Output format."
    )


def many(count: int, thing: str, things: str | None = None) -> str:
    """`1 core`, `2 cores`; `things` where the plural is another."""
    return f"{count} {thing if count == 1 else things or thing + 's'}"
