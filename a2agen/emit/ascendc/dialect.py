"""How Ascend C is written: expressions, element types, and lines that are too long for one."""

from __future__ import annotations

import re
from types import MappingProxyType

from a2agen.emit.offsets import Dialect

# All integers of a kernel are int64_t, the width of the scalar unit's registers, so nothing needs to be widened.
CPP = Dialect(MappingProxyType({"cdiv": "CeilDiv", "min": "Min", "max": "Max", "//": "/"}))

ELEMENTS = MappingProxyType(
    {
        "i8": "int8_t",
        "i16": "int16_t",
        "i32": "int32_t",
        "i64": "int64_t",
        "f16": "half",
        "bf16": "bfloat16_t",
        "f32": "float",
    }
)
"""The types of Ascend C."""

COLUMNS = 120
_INDENT = 4


def formatted(text: str) -> str:
    """The text as the project's `.clang-format` has it: no empty lines before a brace that closes, and the arguments
    of calls and declarations that pass column 120 on lines of their own."""
    text = re.sub(r"\n{2,}(?= *\}(?!  //))", "\n", re.sub(r"\n{3,}", "\n\n", text))
    return "\n".join(part for line in text.split("\n") for part in _lines(line))


def _lines(line: str) -> list[str]:
    """A line, or what it is broken into: each argument of the first call that has several, or the terms of a sum."""
    if len(line) <= COLUMNS or line.lstrip().startswith("//"):
        return [line]
    if line.lstrip().startswith("for ("):
        return _loop(line)
    opened = _opening(line)
    if " = " in line.partition("(")[0]:
        return _terms(line)
    if opened is None:
        return [line]
    head, arguments, tail = opened
    indent = " " * (len(line) - len(line.lstrip()) + _INDENT)
    parts = [f"{indent}{argument}{',' if n < len(arguments) - 1 else tail}" for n, argument in enumerate(arguments)]
    return [head, *(piece for part in parts for piece in _lines(part))]


def _loop(line: str) -> list[str]:
    """A loop's head with its step on the next line, or each part on a line where that is not enough."""
    first, end, step = line.split("; ")
    indent = " " * (line.index("(") + 1)
    both = f"{first}; {end};"
    return [both, indent + step] if len(both) <= COLUMNS else [f"{first};", f"{indent}{end};", indent + step]


def _terms(line: str) -> list[str]:
    """An assignment's line with its value on the next line where it fits there, else with as many terms of the sum as
    fit, and the others below the first."""
    head, equals, total = line.partition(" = ")
    indent = len(line) - len(line.lstrip()) + _INDENT
    if indent + len(total) <= COLUMNS:
        return [f"{head} =", " " * indent + total]
    column = len(head + equals)
    depth, cuts = 0, list[int]()
    for place, character in enumerate(total):
        depth += (character in "(") - (character in ")")
        if depth == 0 and total[place : place + 3] == " + ":
            cuts.append(place + 2)
    lines, begin = [head + equals], 0
    for cut, following in zip([0, *cuts], [*cuts, len(total)], strict=True):
        if len(lines[-1]) + len(total[begin:following].rstrip()) > COLUMNS and cut > begin:
            lines[-1] += total[begin:cut].rstrip()
            lines.append(" " * (column - 1))
            begin = cut
    lines[-1] += total[begin:]
    return lines


def _opening(line: str) -> tuple[str, list[str], str] | None:
    """The line up to the first parenthesis that holds several arguments, these, and what comes behind."""
    # Strings keep their length, and lose what could be taken for code.
    code = re.sub(r'"[^"]*"', lambda string: "s" * len(string[0]), line)
    for start in (n for n, character in enumerate(code) if character == "("):
        depth, cuts = 0, [start]
        for place in range(start, len(code)):
            depth += (code[place] in "([{") - (code[place] in ")]}")
            if depth == 0:
                ends = [*cuts[1:], place]
                if len(ends) > 1:
                    arguments = [line[a + 1 : b].strip() for a, b in zip(cuts, ends, strict=True)]
                    return line[: start + 1], arguments, line[place:]
                break
            if depth == 1 and code[place] == ",":
                cuts.append(place)
    return None
