"""Syntax errors in words of the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from a2agen.grammar.automaton import RESERVED, Automaton, Stack
from a2agen.grammar.scan import Kind, Token
from a2agen.grammar.tables import END, NAME, NUMBER

# What may stand where the grammar has a name or a number, by the rule that takes it.
PLACES = {
    "name": "a name",
    "exchange_name": "the name of an exchange",
    "extent": "the name of an extent",
    "axis": "an axis",
    "tensor": "the name of a tensor or buffer",
    "buffer_name": "the name of a buffer",
    "role_name": "the name of a role",
    "dtype": "a data type",
    "machine": "the name of a target",
    "backend": "the name of a back end",
    "link_name": "the name of a link",
    "number": "a number",
}

BLOCKS = {
    "_file_statement": "a file",
    "_exchange_statement": "an exchange",
    "_schedule_statement": "a schedule",
    "_phase_statement": "a phase",
}

_HINTS = {
    **dict.fromkeys(("<", ">", ">=", "==", "!="), "the only comparison is `<=`"),
    **dict.fromkeys(("+", "/"), "a bound is on a product: of names, numbers and their powers"),
    "-": "numbers have no sign, and an arrow is `->`",
    ".": "a range is written `1..8`",
}

# Words that stand behind a keyword, which is easily left out.
_BEHIND = {**dict.fromkeys(("notify", "signal", "flag", "barrier"), "ready"), "credit": "free", "staggered": "order"}
_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30}

_LONGEST = 40


def quoted(token: Token) -> str:
    """A token as messages show it."""
    if token.kind is Kind.END:
        return "the end of the file"
    text = token.text if len(token.text) <= _LONGEST else token.text[:_LONGEST] + "..."
    if text.isprintable():
        return f"`{text}`"
    return f"the character U+{ord(text[0]):04X}" if len(text) == 1 else f"the characters U+{ord(text[0]):04X} ..."


def expectation(automaton: Automaton, expected: Mapping[str, Stack]) -> str:
    """What may come next where a statement may begin: `}` or a statement of a phase (move, link, ...)"""
    return _listing(automaton, expected, summary=False)


def continuation(automaton: Automaton, expected: Mapping[str, Stack]) -> str:
    """What may come next inside a statement, or after one on the same line."""
    return _listing(automaton, expected, summary=True)


def _listing(automaton: Automaton, expected: Mapping[str, Stack], summary: bool) -> str:
    names: list[str] = []
    marks: list[str] = []
    ends: list[str] = []
    level = None
    for terminal, stack in expected.items():
        if terminal in (NAME, NUMBER):
            gotos = automaton.tables.gotos[stack.state]
            names += [
                what for rule, what in PLACES.items() if rule in gotos and (rule == "number") == (terminal == NUMBER)
            ]
        elif automaton.begins(stack, terminal):
            level = automaton.level(stack)
        elif terminal == "}":
            ends.append("`}`")
        elif terminal == END:
            ends.append("the end of the file")
        elif terminal not in RESERVED:
            marks.append(f"`{terminal}`")
    found = [*names, *sorted(marks), *ends]
    if level == "_file_statement":
        found = [f"`{word}`" for word in automaton.tables.levels[level]] + found
    elif level is not None:
        starts = ", ".join(automaton.tables.levels[level])
        found.append("the next statement" if summary else f"a statement of {BLOCKS[level]} ({starts})")
    *most, last = found
    return f"{', '.join(most)} or {last}" if most else last


def reason(token: Token, expected: Mapping[str, Stack]) -> str | None:
    """Why a token does not fit, or what may have been meant, where there is something to say."""
    if token.kind is Kind.BAD:
        return _bad(token.text)
    if token.text in ("=", ":") and NUMBER in expected:
        return f"leave out `{token.text}`"
    if token.text == "=" and "->" in expected:
        return "an arrow is `->`"
    if token.text == "=" and "in" in expected:
        return "a range is written `in 1..8`, and a single value `in 8..8`"
    if token.kind is not Kind.WORD:
        return None
    if token.text in RESERVED and NAME in expected:
        return "`to` and `from` are the destination and the source rank of a row, and can name nothing else"
    head = _BEHIND.get(token.text)
    if head in expected:
        return f"did you mean `{head} {token.text}`?"
    meant = suggestion(token, expected)
    return f"did you mean `{meant}`?" if meant else None


def misplaced(token: Token, home: str | None) -> str | None:
    """Why a token cannot stand between statements here, when it can at the level `home`."""
    if token.text == "}":
        return "there is no block to close"
    return f"`{token.text}` is a statement of {BLOCKS[home]}" if home is not None else None


def unfinished(start: Token) -> str:
    return f"the `{start.text}` that begins at line {start.span.line} is not complete"


def suggestion(token: Token, expected: Iterable[str]) -> str | None:
    """The expected word that a token resembles."""
    # Imported here because only a faulty spec needs it, and it is slow to load.
    from difflib import get_close_matches  # noqa: PLC0415

    words = [word for word in expected if word.isalpha() and word not in RESERVED]
    close = get_close_matches(token.text[:_LONGEST], words, n=1, cutoff=0.7)
    return close[0] if close else None


def _bad(text: str) -> str:
    if text in _HINTS:
        return _HINTS[text]
    if text[:2] in ("//", "/*"):
        return f"a comment begins with `#`: write `# {text[2:].removesuffix('*/').strip()[:_LONGEST]}`"
    if text.isascii() and text.isdecimal():
        return "the number is too large: numbers are below 2**63"
    if text[:-1].isascii() and text[:-1].isdecimal() and text[-1].lower() in _UNITS and len(text) < _LONGEST:
        return f"numbers have no unit: did you mean `{int(text[:-1]) * _UNITS[text[-1].lower()]}`?"
    if text[0] in "0123456789":
        return "a number has only digits, and a name begins with a letter or `_`"
    if text[0].isalpha():
        return "names are made of the letters A to Z and a to z, digits and `_`"
    # As above.
    from unicodedata import name  # noqa: PLC0415

    return f"{name(text[0], 'this character').lower()} means nothing outside comments"
