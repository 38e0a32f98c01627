"""Text in columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def columns(rows: Iterable[Sequence[str]], indent: str = "") -> list[str]:
    """Rows of cells as lines with the cells of a column under each other; rows may have fewer cells than others."""
    rows = list(rows)
    widths = [max(len(row[n]) for row in rows if n < len(row)) for n in range(max(map(len, rows), default=0))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)) for row in rows)
    return [f"{indent}{line}".rstrip() for line in lines]
