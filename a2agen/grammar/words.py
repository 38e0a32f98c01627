"""Syntax errors in words of the language."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from a2agen.grammar.automaton import RESERVED, Automaton, Stack
from a2agen.grammar.scan import Kind, Token
from a2agen.grammar.tables import END, NAME, NUMBER

# What may stand where the grammar has a name or a number, by the rule that takes it.
ROLES_OF_NAMES = {
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

_LONGEST = 40


def quoted(token: Token) -> str:
    """A token as messages show it."""
    if token.kind is Kind.END:
        return "the end of the file"
    text = token.text if len(token.text) <= _LONGEST else token.text[:_LONGEST] + "..."
    if text.isprintable():
        return f"`{text}`"
    return f"the character U+{ord(text[0]):04X}" if len(text) == 1 else f"the characters U+{ord(text[0]):04X} ..."


def statements(automaton: Automaton, level: str) -> str:
    """`a statement of a phase (move, link, ...)`"""
    words = automaton.tables.levels[level]
    if level == "_file_statement":
        return " or ".join(f"`{word}`" for word in words)
    return f"a statement of {BLOCKS[level]} ({', '.join(words)})"


def expectation(automaton: Automaton, expected: Mapping[str, Stack]) -> str:
    """What may come next: first what goes on with the statement, then what ends it."""
    going_on: list[str] = []
    literal: list[str] = []
    closing: list[str] = []
    ending: list[str] = []
    for terminal, stack in expected.items():
        level = automaton.level(stack)
        if terminal in (NAME, NUMBER):
            gotos = automaton.tables.gotos[stack.state]
            going_on += [words for rule, words in ROLES_OF_NAMES.items() if rule in gotos and _takes(rule, terminal)]
        elif terminal == "}":
            closing.append("`}`")
        elif terminal == END:
            closing.append("the end of the file")
        elif level is not None and terminal in automaton.tables.levels[level]:
            ending.append(statements(automaton, level))
        elif terminal not in RESERVED:
            literal.append(f"`{terminal}`")
    return listing(dict.fromkeys(going_on + sorted(literal) + closing + ending))


def _takes(rule: str, terminal: str) -> bool:
    return (rule == "number") == (terminal == NUMBER)


def listing(words: Iterable[str]) -> str:
    """`a, b or c`"""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def reason(automaton: Automaton, token: Token, expected: Mapping[str, Stack]) -> str | None:
    """Why a token does not fit and what may have been meant, where there is something to say."""
    if token.kind is Kind.BAD:
        return _bad(token)
    if token.kind is not Kind.WORD:
        return None
    if token.text in RESERVED and NAME in expected:
        return "`to` and `from` are the destination and the source rank of a row, and can name nothing else"
    homes = [level for level, words in automaton.tables.levels.items() if token.text in words]
    if homes and token.text not in expected:
        return f"`{token.text}` is a statement of {BLOCKS[homes[0]]}"
    meant = suggestion(token, expected)
    return f"did you mean `{meant}`?" if meant else None


def suggestion(token: Token, expected: Iterable[str]) -> str | None:
    """The expected word that a token resembles."""
    # Imported here because only a faulty spec needs it, and it is slow to load.
    from difflib import get_close_matches  # noqa: PLC0415

    close = get_close_matches(token.text[:_LONGEST], [word for word in expected if word.isalpha()], n=1, cutoff=0.7)
    return close[0] if close else None


def _bad(token: Token) -> str:
    if token.text.isdecimal() and token.text.isascii():
        return "the number is too large: numbers are below 2**63"
    if token.text[0].isdigit() and token.text[0].isascii():
        return "a number has only digits, and a name begins with a letter or `_`"
    name = unicodedata.name(token.text[0], "")
    return f"{name.lower() or 'this'} is no character of the language outside comments"
