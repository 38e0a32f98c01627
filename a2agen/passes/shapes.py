"""Which shapes launches in a row may have that share one workspace.

A launcher binds its workspace to one shape, so what it launches is within all of these. Who shares a workspace among
shapes, as an engine can, has to know.
"""

from __future__ import annotations

from typing import Literal

from a2agen.ir.model import Move, Phase, Schedule
from a2agen.passes import analysis, words

Change = Literal["any", "same words", "fixed halves", "one"]
"""What may change, the least bound first: anything; anything that leaves each launch the same words, since they count
launches; anything that leaves the halves of data and words where they are; nothing."""

_ORDER: tuple[Change, ...] = ("any", "same words", "fixed halves", "one")


def change_of(schedule: Schedule, phase: Phase, move: Move) -> Change:
    """What may change from launch to launch as far as one move goes.

    What a rank alone writes and reads is free at the end of its launch, whatever shape comes next.
    """
    if not analysis.announced(schedule, move):
        return "any"
    protocol = analysis.protocol(schedule, phase, move)
    found: Change = protocol.shapes if analysis.reaches_peers(move) else "any"
    if found == "any" and protocol.word_value == "round" and _counts(schedule, phase):
        return "same words"
    return found


def change(schedule: Schedule) -> Change:
    """What may change from launch to launch of a schedule."""
    return max((change_of(schedule, p, m) for p, m in analysis.moves(schedule)), key=_ORDER.index, default="any")


def _counts(schedule: Schedule, phase: Phase) -> bool:
    """Whether words that not every shape has say by their number how many launches were announced."""
    return phase.ready.unit == "block" and words.several_announce(phase) and words.adds(schedule)
