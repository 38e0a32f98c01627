"""Tables in Markdown, their cells padded so that the text reads as a table too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], names: int) -> str:
    """A table; the first `names` columns are names, the others numbers, which stand to the right."""
    rows = list(rows)
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    rule = ["-" * w if n < names else "-" * (w - 1) + ":" for n, w in enumerate(widths)]
    lines = [_line(columns, widths, names), f"| {' | '.join(rule)} |", *(_line(row, widths, names) for row in rows)]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str], widths: list[int], names: int) -> str:
    padded = [c.ljust(w) if n < names else c.rjust(w) for n, (c, w) in enumerate(zip(cells, widths, strict=True))]
    return f"| {' | '.join(padded)} |"
