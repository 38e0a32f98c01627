"""Numbers and lists in the words of messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from a2agen.ir.expr import Expr


def at(values: Mapping[str, int], expr: Expr) -> str:
    """The values of the names in `expr`, as `W = 33, S = 4`."""
    names = dict.fromkeys(expr.names())
    return ", ".join(f"{name} = {values[name]}" for name in values if name in names)


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, final = words
    return f"{', '.join(first)} {last} {final}" if first else final


def many(count: int, thing: str) -> str:
    """`1 core`, `2 cores`."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
