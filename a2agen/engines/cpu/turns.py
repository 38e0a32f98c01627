"""A bound on the turns of a kernel's loops, so that one that spins ends in a finding and not never."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from a2agen.engines.cpu.machine import Machine

# A kernel that copied element by element, in two phases on one core, would take two for each element.
TURNS_AT_LEAST = 50_000
TURNS_OF_AN_ELEMENT = 2
TURNS_OF_A_PEER = 4
# Turns of a long loop that are counted at once.
PIECE = 1 << 14


def most(elements: int, ranks: int, cores: int) -> int:
    """More turns than a core takes in a launch that moves so many elements of a rank, with so many cores of each: who
    takes more is in a loop without end."""
    return TURNS_AT_LEAST + TURNS_OF_AN_ELEMENT * elements + TURNS_OF_A_PEER * ranks * cores


class Turns:
    """Counts the turns of all loops of a core in a launch, and the helpers that it calls.

    A loop is counted where it begins, and a long one piece by piece, so that no turn of its own costs anything.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def of(self, loop: Any) -> Iterable[Any]:
        """What a kernel's `for` runs over in place of `loop`."""
        if type(loop) is not range:
            return loop  # type: ignore[no-any-return] # what is no loop of Triton's fails where Python iterates
        count = _length(loop)
        if count <= PIECE:
            self._count(count + 1, sys._getframe(1))
            return loop
        return self._in_pieces(loop)

    def call(self) -> None:
        """A helper is called: it might call itself."""
        self._count(1, sys._getframe(2))

    def _in_pieces(self, loop: range) -> Iterator[int]:
        while loop:
            piece, loop = loop[:PIECE], loop[PIECE:]
            self._count(PIECE, sys._getframe(1))
            yield from piece

    def _count(self, turns: int, frame: FrameType) -> None:
        machine = self._machine
        core = machine.core
        core.turns += turns
        if core.turns > machine.turns_most:
            text = f"the core goes on after {machine.turns_most} turns of loops, far more than a launch of this shape "
            text += "takes: a loop does not end; loop over what there is to do, and wait by dl.wait"
            raise machine.halt("endless", core, machine.sites.of(frame), text)


def _length(loop: range) -> int:
    try:
        return len(loop)
    except OverflowError:
        return sys.maxsize
