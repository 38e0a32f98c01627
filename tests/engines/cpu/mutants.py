"""Every way to remove one piece of synchronisation from a kernel's text."""

from __future__ import annotations

import ast
from collections.abc import Iterator

STATEMENTS = ("notify", "fence", "quiet", "barrier_all", "debug_barrier")


def without_one(text: str) -> Iterator[tuple[str, str]]:
    """(what was removed and its line, the text without it): each fence, notify, wait, consume_token, barrier, quiet."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name = node.func.attr
        if name in STATEMENTS:
            left = "pass"
        elif name == "wait":
            left = "0"
        elif name == "consume_token":
            left = ast.get_source_segment(text, node.args[0]) or ""
        else:
            continue
        yield f"{name} at line {node.lineno}", replaced_in(text, node, left)


def replaced_in(text: str, node: ast.expr, left: str) -> str:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    first = starts[node.lineno - 1] + node.col_offset
    last = starts[node.end_lineno - 1] + node.end_col_offset
    return text[:first] + left + text[last:]
