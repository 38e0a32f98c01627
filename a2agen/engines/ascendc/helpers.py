"""Helper functions of a kernel: what waits in one is told by the line that calls it, which says what is waited for."""

from __future__ import annotations

import re

_HELPER = re.compile(r"^__aicore__\s+inline\s+void\s+(\w+)\s*\(")


def with_callers(kernel: str) -> str:
    """The text of a kernel in which calls of its void functions tell the engine their lines; no line moves.

    A function's name becomes a macro behind its body, so the text may hold no other meaning of it from there on.
    """
    lines: list[str] = []
    name: str | None = None
    for number, line in enumerate(kernel.split("\n"), 1):
        lines.append(line)
        found = _HELPER.match(line)
        name = found[1] if found else name
        if name is not None and line.startswith("}"):
            lines.append(f"#define {name}(...) (a2agen::Called{{__LINE__}}, {name}(__VA_ARGS__))")
            lines.append(f"#line {number + 1}")
            name = None
    return "\n".join(lines)
