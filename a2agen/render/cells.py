"""A source line laid out in terminal cells, so that carets stand under what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

TAB = 4
ELLIPSIS = "…"
# What follows the second half of a wide character in the list of cells.
_COVERED = ""


@dataclass(frozen=True, slots=True)
class Line:
    """The cells of a line, and for each character (and the line's end) the cell it starts in."""

    cells: tuple[str, ...]
    starts: tuple[int, ...]

    def cell(self, column: int) -> int:
        """The cell of a column, which counts from 1; past the end of the line, the cell after it."""
        return self.starts[min(max(column, 1), len(self.starts)) - 1]


# Findings come in the order of the text, so many in a row can be about one line, which can be long.
@lru_cache(maxsize=2)
def lay_out(text: str) -> Line:
    """Expands tabs, gives wide characters two cells and combining ones none, and shows control characters as �."""
    cells: list[str] = []
    starts: list[int] = []
    for char in text:
        starts.append(len(cells))
        if char == "\t":
            cells.extend(" " * (TAB - len(cells) % TAB))
        elif char.isascii():
            cells.append(char if char.isprintable() else "�")
        else:
            width = _width(char)
            if width == 0 and cells:
                cells[-1] += char
                starts[-1] = max(len(cells) - 1, 0)
            else:
                cells.append(char if char.isprintable() else "�")
                cells.extend([_COVERED] * (width - 1))
    starts.append(len(cells))
    return Line(tuple(cells), tuple(starts))


def _width(char: str) -> int:
    import unicodedata  # noqa: PLC0415 - only specs with other than ASCII text need it

    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


@dataclass(frozen=True, slots=True)
class Marked:
    """A line, clipped around a mark, and the mark: `length` cells from cell `start` of the clipped text."""

    text: str
    start: int
    length: int


def mark(text: str, column: int, end_column: int, width: int) -> Marked:
    """Shows a line within `width` cells, with a mark from `column` up to `end_column` (at least one cell)."""
    line = lay_out(text)
    first = line.cell(column)
    last = max(line.cell(end_column), first + 1)
    total = len(line.cells)
    if total <= width:
        return Marked("".join(line.cells), first, min(last, max(total, first + 1)) - first)
    # A third of the window stands before the mark, the rest for the mark and what follows.
    low = min(max(first - width // 3, 0), max(total, first + 1) - width)
    high = low + width
    cells = list(line.cells[low:high])
    if low > 0:
        cells[0] = ELLIPSIS
        if cells[1] == _COVERED:
            cells[1] = " "
    if high < total:
        if cells[-1] == _COVERED:
            cells[-2] = " "
        cells[-1] = ELLIPSIS
    return Marked("".join(cells), first - low, min(last, high) - first)
