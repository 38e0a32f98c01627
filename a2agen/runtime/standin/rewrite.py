"""Gives a kernel's text the argument that its calls of the stand-in need."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from types import ModuleType
from typing import Any

PEERS = "standin_peers"


class UnknownCallError(ValueError):
    """A kernel calls what the stand-in does not have."""


def with_peers(source: str, names: Mapping[str, Any]) -> str:
    """The text of a decorated function with `PEERS` as its first parameter, and handed on to each call of a stand-in
    module. Nothing moves to another line.

    `names` are the function's globals: they say which names stand for the stand-in's modules. Raises UnknownCallError
    for a member that these do not have.
    """
    text = textwrap.dedent(source)
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    lines = text.split("\n")
    edits = [_parameter(function)]
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        if _stand_in_member(call.func, names):
            edits.append(_argument(call, lines))
    for line, column, inserted in sorted(edits, reverse=True):
        at = lines[line - 1].encode()
        lines[line - 1] = (at[:column] + inserted.encode() + at[column:]).decode()
    first = min(node.lineno for node in function.decorator_list) if function.decorator_list else function.lineno
    # Decorators go, their lines stay.
    for n in range(first - 1, function.lineno - 1):
        lines[n] = ""
    return "\n".join(lines)


def _parameter(function: ast.FunctionDef) -> tuple[int, int, str]:
    """The new parameter, before the first: line, column in bytes, and text."""
    arguments = function.args
    if arguments.posonlyargs or not arguments.args:
        raise UnknownCallError(f"{function.name} has no parameters that the stand-in knows how to extend")
    first = arguments.args[0]
    return first.lineno, first.col_offset, f"{PEERS}, "


def _argument(call: ast.Call, lines: list[str]) -> tuple[int, int, str]:
    """The new argument, before the closing parenthesis: line, column in bytes, and text."""
    end, column = call.end_lineno or call.lineno, (call.end_col_offset or 1) - 1
    before = lines[end - 1].encode()[:column].decode().rstrip()
    above = end - 2
    while not before:
        before = lines[above].rstrip()
        above -= 1
    comma = "" if before[-1] in "(," else ", "
    return end, column, f"{comma}peers={PEERS}"


def _stand_in_member(func: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether a call is of a member of one of the stand-in's modules."""
    if not (isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)):
        return False
    module = names.get(func.value.id)
    if not isinstance(module, ModuleType) or not module.__name__.startswith("a2agen.runtime.standin."):
        return False
    if not hasattr(module, func.attr):
        raise UnknownCallError(f"the stand-in for triton_dist has no {func.value.id}.{func.attr}")
    return True
