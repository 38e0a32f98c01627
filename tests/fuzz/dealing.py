"""Kernels whose cores take other tasks than the compiler dealt them: the language does not say which core has which."""

from __future__ import annotations

import re

_LOOP = re.compile(r"( *)for (\w+) in range\((pid|lane|\w+_lane), (.+), (cores|lanes|\w+_lanes)\):")
# Of a role with a core for each peer, that core alone serves the peer.
_PEERS = ("W", "W - 1")


def dealt_otherwise(kernel: str) -> str:
    """A kernel in which the tasks of every second loop over tiles go to the next core of the role."""
    lines = kernel.split("\n")
    seen = 0
    for at, line in enumerate(lines):
        loop = _LOOP.fullmatch(line)
        if loop and loop[4] not in _PEERS and _copies(lines[at + 1 :], len(loop[1])):
            seen += 1
            if seen % 2 == 0:
                lines[at] = f"{loop[1]}for {loop[2]} in range(({loop[3]} + 1) % {loop[5]}, {loop[4]}, {loop[5]}):"
    return "\n".join(lines)


def _copies(lines: list[str], indent: int) -> bool:
    """Whether the block that the lines begin with, deeper than `indent`, stores a tile."""
    for line in lines:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            return False
        if "tl.store(" in line:
            return True
    return False
