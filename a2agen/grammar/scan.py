"""Cuts a text into tokens and comments, with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from a2agen.source import Span

LARGEST = 2**63 - 1

_LINE_END = re.compile(r"\r\n|\r|\n")
_PIECE = re.compile(
    r"""(?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>[0-9]+(?![A-Za-z0-9_]))
      | (?P<mark>->|<=|\*\*|\.\.|=(?!=)|[*:,()\[\]{}])
      | (?P<comment>\#.*)
      | (?P<blank>[ \t]+)
      | (?P<bad>//.*|/\*.*?(?:\*/|$)|[0-9][A-Za-z0-9_]*|[<>=!]=|[^\x20-\x7e\t]+|.)
    """,
    re.VERBOSE,
)


class Kind(Enum):
    WORD = "word"
    NUMBER = "number"
    MARK = "mark"
    BAD = "bad"
    END = "end"


# By the names of their groups: an enumeration takes its time to look up a value.
_KINDS = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text. `first` says that nothing but blanks stands before it on its line."""

    kind: Kind
    text: str
    span: Span
    first: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment from its `#` to the end of the line. `first` as for tokens."""

    text: str
    span: Span
    first: bool


def scan(text: str) -> tuple[list[Token], list[Comment]]:
    """The tokens of a text, the last of which is its end, and its comments.

    A byte order mark at the start is skipped. What belongs to no token of the language comes as a token of the kind
    BAD, and so do numbers from 2**63 on, and comments of C, whole, as they are meant.
    """
    tokens: list[Token] = []
    comments: list[Comment] = []
    number, column = 1, 1
    for number, line in enumerate(_LINE_END.split(text), start=1):
        start = 1 if number == 1 and line.startswith("\ufeff") else 0
        column = len(line) + 1
        first = True
        for match in _PIECE.finditer(line, start):
            group = match.lastgroup
            if group is None or group == "blank":
                continue
            span = Span(number, match.start() + 1, number, match.end() + 1)
            piece = match.group()
            if group == "comment":
                comments.append(Comment(piece, span, first))
            else:
                kind = Kind.BAD if group == "number" and _too_large(piece) else _KINDS[group]
                tokens.append(Token(kind, piece, span, first))
                first = False
    tokens.append(Token(Kind.END, "", Span(number, column, number, column), True))
    return tokens, comments


def _too_large(digits: str) -> bool:
    digits = digits.lstrip("0")
    return len(digits) > len(str(LARGEST)) or int(digits or "0") > LARGEST
