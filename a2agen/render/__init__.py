"""Findings as text: one module per output format.

Every renderer takes a `Listing` and returns the text to print, without the last line end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from a2agen.findings import Finding
    from a2agen.source import Source

FORMATS = ("text", "concise", "json")


@dataclass(frozen=True, slots=True)
class Listing:
    """Findings in the order to show them, the sources they point into by path, and whether to colour them."""

    findings: tuple[Finding, ...]
    sources: Mapping[str, Source]
    color: bool = False


def renderer(name: str) -> Callable[[Listing], str]:
    """The renderer of an output format (one of `FORMATS`), loaded when it is asked for."""
    render: Callable[[Listing], str] = import_module(f"a2agen.render.{name}").render
    return render
