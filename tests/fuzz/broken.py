"""Broken specs by number: spoilt texts, and bytes that nobody would call one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzz.spoil import spoilt
from tests.fuzz.writer import spec

ENCODINGS = ("utf-16", "utf-16-be", "utf-32", "utf-7", "cp037", "shift_jis")
DEPTHS = (1_000, 1_000, 20_000)


def broken(seed: int) -> bytes:
    """The bytes of a seed, the same on every machine. Some of them happen to be a sound spec."""
    choice = Random(f"broken {seed}")
    text = spec(seed)
    return choice.choice(_KINDS)(text, choice) if choice.random() < 0.15 else spoilt(text, choice)


def _other_encoding(text: str, choice: Random) -> bytes:
    return text.encode(choice.choice(ENCODINGS))


def _binary(_: str, choice: Random) -> bytes:
    head = choice.choice((b"", b"\x7fELF", b"PK\x03\x04", b"\x1f\x8b", b"\x00", b"\xff" * 8))
    return head + choice.randbytes(choice.choice((0, 1, 100, 10_000)))


def _deep(text: str, choice: Random) -> bytes:
    """Brackets within brackets where a layout, a block or a product may stand."""
    depth = choice.choice(DEPTHS)
    opening, closing = choice.choice(
        (("[", "]"), ("(", ")"), ("{", "}"), ("exchange e {", "}"), ("phase p on r {", "}"))
    )
    inner = opening * depth + closing * choice.choice((0, depth))
    lines = text.split("\n")
    lines.insert(choice.randrange(len(lines)), choice.choice(("", "in A : bf16 [", "where ", "move ")) + inner)
    return "\n".join(lines).encode()


def _huge(text: str, choice: Random) -> bytes:
    """Bounds, powers, sizes and counts far beyond what a machine has."""
    number = choice.choice(
        ("9223372036854775807", "9" * 40, "9" * 100_000, "2**62", "2**63", "2**(2**63)", "1" + "0" * 30)
    )
    words = [w for w in ("1024", "2..", "by ", "slots ", "cores ", "align ", "tile ", "qps ", "**", "..") if w in text]
    word = choice.choice(words)
    at = text.index(word) + len(word)
    return (text[:at] + number + text[at:].lstrip("0123456789")).encode()


def _many(text: str, choice: Random) -> bytes:
    """One statement thousands of times, or thousands of comments."""
    lines = text.split("\n")
    at = choice.randrange(len(lines))
    line = choice.choice((lines[at], "# a2a: allow[A701] why", "dim X in 1..2", "buffer B : [S] local"))
    return "\n".join([*lines[:at], *[line] * choice.choice((100, 2_000)), *lines[at:]]).encode()


_KINDS: tuple[Callable[[str, Random], bytes], ...] = (_other_encoding, _binary, _deep, _huge, _many)
