"""Kernels in Ascend C with one operation of synchronisation taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

STATEMENTS = (
    "aclshmemx_udma_quiet",
    "aclshmemx_udma_qp_quiet",
    "aclshmem_uint64_wait_until",
    "aclshmem_uint64_p",
    "aclshmem_fence",
    "aclshmem_quiet",
    "aclshmemx_barrier_all_vec",
    "PipeBarrier<PIPE_ALL>",
    "SetFlag",
    "WaitFlag",
)
"""Calls that are taken out as they are. An event between pipes is a SetFlag and a WaitFlag."""
SIGNALS = ("aclshmemx_udma_put_signal_nbi", "aclshmemx_udma_qp_put_signal_nbi")
"""Puts whose signal is taken out: it is set to zero, as the word is."""
_SIGNAL_ARGUMENT = 4


@dataclass(frozen=True, slots=True)
class Removal:
    """What was taken out, its line from 1, and the text without it."""

    operation: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.operation} at line {self.line}"


def removals(kernel: str) -> Iterator[Removal]:
    """The kernel without each of its operations of synchronisation, one at a time."""
    names = "|".join(re.escape(name) for name in (*STATEMENTS, *SIGNALS))
    for match in re.finditer(rf"(?:AscendC::)?({names})(<[\w:]+>)?\(", kernel):
        end = _closing(kernel, match.end())
        line = kernel.count("\n", 0, match.start()) + 1
        name = match[1] + (match[2] or "")
        if match[1] in SIGNALS:
            places = _arguments(kernel, match.end(), end)
            first, last = places[_SIGNAL_ARGUMENT]
            yield Removal(f"the signal of {name}", line, kernel[:first] + "uint64_t{0}" + kernel[last:])
        else:
            yield Removal(name, line, kernel[: match.start()] + "static_cast<void>(0)" + kernel[end + 1 :])


def _closing(text: str, start: int) -> int:
    """The place of the bracket that closes what is open at `start`."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError("a bracket that does not close")


def _arguments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the arguments between two brackets lie."""
    places, depth, first = [], 0, start
    for place in range(start, end + 1):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[place], 0)
        if place == end or (text[place] == "," and depth == 0):
            places.append((first, place))
            first = place + 1
    return places
