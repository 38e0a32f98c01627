"""Changes clauses of a spec for others that the grammar allows, so that rules and protocols meet what nobody meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

READY = (
    "none",
    "barrier",
    "notify per tile",
    "notify per block",
    "notify per peer",
    "signal per block",
    "signal per peer",
    "flag",
)
FREE = ("none", "credit per tile", "credit per peer", "barrier")
WHO = ("", " for all", " for others", " for self")
ROLES = ("even", "odd", "all", "host", "even, one per peer", "odd, one per peer", "all, one per peer")
SIZES = ("1", "2", "3", "4", "8", "16", "64")
LINKS = (
    "mte",
    "udma",
    "ldst",
    "ce",
    "put",
    "put(split)",
    "put(complete end)",
    "auto",
    "udma(qps 2)",
    "udma(split)",
    "udma(relay next)",
    "udma(complete end)",
)
TARGETS = ("ascend910b", "ascend910c", "ascend910c_mainline", "ascend950", "ascend950_one_queue", "h200")


def reworded(text: str, choice: Random) -> str:
    """The spec with one to three clauses changed, moved, doubled or left out; it stays near to a sound one."""
    lines = text.split("\n")
    for _ in range(choice.choice((1, 1, 1, 2, 2, 3))):
        change = choice.choice((_clause, _clause, _clause, _clause, _swap, _drop, _double, _phases, _names))
        lines = change(lines, choice)
    return "\n".join(lines)


def _clause(lines: list[str], choice: Random) -> list[str]:
    """One statement says something else."""
    known = [n for n, line in enumerate(lines) if line.split() and line.split()[0] in _CHANGES]
    if not known:
        return lines
    at = choice.choice(known)
    indent, word = re.match(r"\s*", lines[at]), lines[at].split()[0]
    return [
        *lines[:at],
        (indent.group() if indent else "") + _CHANGES[word](lines[at].strip(), choice),
        *lines[at + 1 :],
    ]


def _swap(lines: list[str], choice: Random) -> list[str]:
    """Two neighbouring statements change places."""
    at = choice.randrange(len(lines) - 1)
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def _drop(lines: list[str], choice: Random) -> list[str]:
    at = choice.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def _double(lines: list[str], choice: Random) -> list[str]:
    at = choice.randrange(len(lines))
    return [*lines[:at], lines[at], *lines[at:]]


def _phases(lines: list[str], choice: Random) -> list[str]:
    """Two phases of a schedule change places."""
    starts = [n for n, line in enumerate(lines) if line.startswith("  phase ")]
    if len(starts) < 2:
        return lines
    at = choice.randrange(len(starts) - 1)
    first, second = starts[at], starts[at + 1]
    end = lines.index("  }", second) + 1
    return [*lines[:first], *lines[second:end], *lines[first:second], *lines[end:]]


def _names(lines: list[str], choice: Random) -> list[str]:
    """A name of a statement becomes another name of the spec."""
    names = re.findall(r"\b[A-Z][A-Z]?\b|\b(?:sender|reader|filler|mover|worker|left|right)\b", "\n".join(lines))
    at = choice.randrange(len(lines))
    here = [m for m in re.finditer(r"\w+", lines[at]) if m.group() in names]
    if not here:
        return lines
    match = choice.choice(here)
    line = lines[at][: match.start()] + choice.choice(names) + lines[at][match.end() :]
    return [*lines[:at], line, *lines[at + 1 :]]


def _layout(line: str, choice: Random) -> str:
    """The axes of a layout in another order."""

    def shuffled(match: re.Match[str]) -> str:
        axes = match.group(1).replace("(", "").replace(")", "").split()
        choice.shuffle(axes)
        return f"[{' '.join(axes)}]"

    return re.sub(r"\[(.*?)\]", shuffled, line, count=1)


def _buffer(line: str, choice: Random) -> str:
    """A buffer with another layout, home, slots or alignment."""
    if choice.random() < 0.4:
        return _layout(line, choice)
    head = line[: line.index("]") + 1] if "]" in line else line
    home = choice.choice(("", " symmetric", " symmetric", " local"))
    slots = choice.choice(
        ("", " per block slots 1", " per block slots 2", " per block slots 3", " flagged", " align 64")
    )
    return head + home + slots


def _number(line: str, choice: Random) -> str:
    """One of the numbers of a statement is another."""
    numbers = list(re.finditer(r"\d+", line))
    if not numbers:
        return line
    match = choice.choice(numbers)
    return line[: match.start()] + choice.choice(SIZES) + line[match.end() :]


def _move(line: str, choice: Random) -> str:
    words = line.split()
    return " ".join(words[:4]) + choice.choice(WHO)


def _role(line: str, choice: Random) -> str:
    return f"{line.split(':', maxsplit=1)[0]}: {choice.choice(ROLES)}"


_CHANGES: dict[str, Callable[[str, Random], str]] = {
    "in": _layout,
    "out": _layout,
    "buffer": _buffer,
    "move": _move,
    "role": _role,
    "ready": lambda _, choice: f"ready {choice.choice(READY)}",
    "free": lambda _, choice: f"free {choice.choice(FREE)}",
    "rounds": lambda _, choice: f"rounds {choice.choice(('reset', 'epoch'))}",
    "link": lambda _, choice: f"link {choice.choice(LINKS)}",
    "target": lambda _, choice: f"target {choice.choice(TARGETS)}",
    "block": _number,
    "tile": _number,
    "dim": _number,
    "ranks": _number,
    "cores": _number,
}
