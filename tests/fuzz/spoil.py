"""Spoils the text of a spec: tokens, lines, numbers, bytes. What comes of it may be no spec, or no text."""

from __future__ import annotations

import re
from random import Random

TOKEN = re.compile(r"\w+|->|\.\.|\*\*|<=|\S|\s+")
NUMBERS = ("0", "-1", "00", "1", "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808")
NUMBERS += ("1e9", "0x10", "1.5", "9" * 5000, "2**63", "2**999999999", "10**100000")
JUNK = ("{", "}", "[", "]", "(", ")", ",", ":", "->", "..", "**", "<=", "=", "#", "$", "'", '"', "\\", "\t", ";")
UNICODE = (
    "é",
    "Ω",
    "漢",
    "\u00a0",
    "\u2028",
    "\u2029",
    "\u0085",
    "\x0b",
    "\x0c",
    "\u200b",
    "\u202e",
    "😀",
    "e\u0301",
    "\uff11",
)
ALLOW = (
    "# a2a: allow[A701] why",
    "# a2a: allow[A999] why",
    "# a2a: allow[] x",
    "# a2a: allow[A701",
    "# a2a:",
    "# a2a: no",
)


def spoilt(text: str, choice: Random) -> bytes:
    """The bytes of a text that was a spec."""
    for _ in range(choice.choice((1, 1, 1, 2, 3, 6))):
        if choice.random() < 0.75:
            text = choice.choice((_tokens, _tokens, _lines, _numbers, _keywords, _insert, _cut))(text, choice)
        else:
            text = choice.choice((_nested, _long, _many, _comments, _unicode))(text, choice)
    data = text.encode("utf-8", errors="surrogatepass")
    return choice.choice(_BYTES)(data, choice) if choice.random() < 0.3 else data


def _pieces(text: str) -> list[str]:
    return TOKEN.findall(text) or [""]


def _tokens(text: str, choice: Random) -> str:
    """Tokens left out, doubled or exchanged."""
    pieces = _pieces(text)
    at, other = choice.randrange(len(pieces)), choice.randrange(len(pieces))
    match choice.randrange(4):
        case 0:
            del pieces[at : at + choice.randrange(1, 5)]
        case 1:
            pieces[at:at] = pieces[at : at + choice.randrange(1, 5)]
        case 2:
            pieces[at], pieces[other] = pieces[other], pieces[at]
        case _:
            pieces[at] = pieces[other]
    return "".join(pieces)


def _lines(text: str, choice: Random) -> str:
    lines = text.split("\n")
    at, other = choice.randrange(len(lines)), choice.randrange(len(lines))
    match choice.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(other, lines[at])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            lines[min(at, other) : max(at, other)] = []
    return "\n".join(lines)


def _numbers(text: str, choice: Random) -> str:
    found = list(re.finditer(r"\d+", text))
    if not found:
        return text
    match = choice.choice(found)
    return text[: match.start()] + choice.choice(NUMBERS) + text[match.end() :]


def _keywords(text: str, choice: Random) -> str:
    """A word stands for another, everywhere or once."""
    words = sorted(set(re.findall(r"[A-Za-z_]\w*", text)))
    if len(words) < 2:
        return text
    old, new = choice.sample(words, 2)
    return re.sub(rf"\b{old}\b", new, text, count=choice.choice((0, 1)))


def _insert(text: str, choice: Random) -> str:
    at = choice.randrange(len(text) + 1)
    return text[:at] + choice.choice(JUNK) * choice.choice((1, 1, 2, 50)) + text[at:]


def _cut(text: str, choice: Random) -> str:
    at = choice.randrange(len(text) + 1)
    return text[:at] if choice.random() < 0.7 else text[at:]


def _unicode(text: str, choice: Random) -> str:
    at = choice.randrange(len(text) + 1)
    return text[:at] + choice.choice(UNICODE) + text[at:]


def _comments(text: str, choice: Random) -> str:
    lines = text.split("\n")
    for _ in range(choice.randrange(1, 4)):
        at = choice.randrange(len(lines))
        said = choice.choice((*ALLOW, "# " + "".join(choice.sample(UNICODE, 3)), "#" * 300))
        if choice.random() < 0.5:
            lines.insert(at, said)
        else:
            lines[at] += "  " + said
    return "\n".join(lines)


def _nested(text: str, choice: Random) -> str:
    """Brackets within brackets, many levels deep."""
    at = choice.randrange(len(text) + 1)
    depth = choice.choice((10, 1000, 20_000))
    opening = choice.choice(("{", "[", "(", "in A : bf16 [(", "phase p on r {\n", "exchange e {\n", "S * "))
    return text[:at] + opening * (depth // len(opening) + 1) + text[at:]


def _long(text: str, choice: Random) -> str:
    """One very long line, name, layout or product."""
    at = choice.randrange(len(text) + 1)
    piece = choice.choice(("x", " S", " * S", ", S 8", ", S = 1", "\t", "#"))
    return text[:at] + piece * choice.choice((300, 3000, 20_000)) + text[at:]


def _many(text: str, choice: Random) -> str:
    """The same again and again: a file of several equal exchanges, or a statement many times."""
    if choice.random() < 0.5:
        return (text + "\n") * choice.randrange(2, 6)
    lines = text.split("\n")
    at = choice.randrange(len(lines))
    return "\n".join([*lines[:at], *[lines[at]] * choice.choice((5, 60)), *lines[at:]])


def _random_bytes(data: bytes, choice: Random) -> bytes:
    at = choice.randrange(len(data) + 1)
    return data[:at] + choice.randbytes(choice.choice((1, 2, 8, 64))) + data[at:]


_BYTES = (
    _random_bytes,
    lambda data, _: data.replace(b"\n", b"\r\n"),
    lambda data, _: data.replace(b"\n", b"\r"),
    lambda data, _: b"\xef\xbb\xbf" + data,
    lambda data, choice: data.replace(b" ", b"\0", choice.randrange(1, 4)),
    lambda data, _: b"\xff\xfe" + data.decode("utf-8", errors="replace").encode("utf-16-le"),
    lambda data, choice: data[: choice.randrange(len(data) + 1)],
    lambda _, choice: choice.randbytes(choice.randrange(200)),
)
