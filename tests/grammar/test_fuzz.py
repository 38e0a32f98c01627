"""Spoilt specs: whatever the text, there are findings in their places and no exception."""

from __future__ import annotations

import random

import pytest

from a2agen.grammar.parse import parse
from a2agen.grammar.scan import scan
from a2agen.source import Source
from tests.grammar.texts import FULL, nodes

JUNK = ["{", "}", "[", "]", "(", ")", ",", ":", "->", "..", "*", "**", "<=", "=", "#", "# a2a:", "\n", "\0"]
JUNK += ["\ufeff", "\r", "é", "$"]
JUNK += ["9" * 5000, "1", "phase", "exchange", "schedule", "case", "to", "in", "tile", "x", "\ud83d", "\u2028"]


def check(text: str) -> bool:
    """Parses a text and checks what holds for any; returns whether it is a spec."""
    file, found = parse(Source("spec.a2a", text))
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    places = [f.span for f in found]
    assert {f.code for f in found} <= {"A101", "A102"}
    assert len(found) <= 101
    assert len({(f.span, f.message) for f in found}) == len(found)
    assert places == sorted(places, key=lambda s: (s.line, s.column))
    for span in places:
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 1 <= span.column <= span.end_column <= len(lines[span.end_line - 1]) + 1
    damaged = any(getattr(node, "damaged", False) for node in nodes(file))
    assert found or not damaged
    return not found


@pytest.mark.parametrize("seed", range(25))
def test_tokens_changed(seed: int) -> None:
    choice = random.Random(seed)
    pieces = [text for token in scan(FULL)[0] for text in (token.text, "\n" if choice.random() < 0.2 else " ")]
    for _ in range(choice.randrange(1, 12)):
        at = choice.randrange(len(pieces))
        change = choice.randrange(4)
        if change == 0:
            del pieces[at : at + choice.randrange(1, 6)]
        elif change == 1:
            pieces.insert(at, choice.choice(JUNK))
        elif change == 2:
            pieces[at] = choice.choice(pieces)
        else:
            pieces[at:at] = pieces[choice.randrange(len(pieces)) :][: choice.randrange(40)]
        check("".join(pieces))


@pytest.mark.parametrize("seed", range(15))
def test_characters_changed(seed: int) -> None:
    choice = random.Random(seed)
    text = FULL
    for _ in range(12):
        at = choice.randrange(len(text))
        text = (
            text[:at]
            + choice.choice(["", choice.choice(JUNK), chr(choice.randrange(0x2100))])
            + text[at + choice.randrange(3) :]
        )
        check(text)


def test_every_beginning_and_every_end() -> None:
    assert check(FULL)
    for at in range(0, len(FULL), 13):
        check(FULL[:at])
        check(FULL[at:])


def test_every_line_left_out_or_doubled() -> None:
    lines = FULL.splitlines(keepends=True)
    for at in range(len(lines)):
        check("".join(lines[:at] + lines[at + 1 :]))
        check("".join(lines[:at] + lines[at : at + 1] + lines[at:]))


@pytest.mark.parametrize(
    "start",
    [
        "",
        "exchange e {\n",
        "exchange e { where ",
        "schedule s for e {\n",
        "schedule s for e { phase p on r {\n",
    ],
)
def test_the_same_piece_again_and_again(start: str) -> None:
    for piece in [*JUNK, "in A : [", "where (", "phase p on r {\n", "case c { x = 1,\n", "S * ", "tile tile 1,\n"]:
        assert not check(start + (piece + " ") * (20 if len(piece) > 100 else 200))
