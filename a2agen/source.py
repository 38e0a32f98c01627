"""Source texts and the places in them.

Lines and columns count from 1, in characters; an end column is exclusive.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# The line ends of a spec; other separators, such as form feeds, are characters like any other.
_LINE_END = re.compile(r"\r\n|\r|\n")


# The folder that generated files go to unless the user says otherwise.
OUTPUT = "generated"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a source text, from (line, column) up to but not including (end_line, end_column)."""

    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.line, self.column, other.end_line, other.end_column)

    def contains(self, other: Span) -> bool:
        start = (self.line, self.column) <= (other.line, other.column)
        return start and (other.end_line, other.end_column) <= (self.end_line, self.end_column)


@dataclass(frozen=True, slots=True)
class Source:
    """A spec's text with the path that the user gave for it, and the folder for what is generated from it."""

    path: str
    text: str
    output: str = OUTPUT

    def line(self, number: int) -> str:
        """The text of a line, without its line end; empty past the end of the file."""
        lines = _lines(self.text)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    @property
    def start(self) -> Span:
        return Span(1, 1, 1, 1)


# Each finding shows a line, and a file can have many findings and many lines.
@lru_cache(maxsize=2)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(_LINE_END.split(text))
