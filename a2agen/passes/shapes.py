"""Which shapes launches in a row may have that share one workspace.

A launcher binds its workspace to one shape, so what it launches is within all of these. Who shares a workspace among
shapes, as an engine can, has to know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from a2agen.ir.expr import Expr
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


def forbidden(schedule: Schedule, shapes: Sequence[Mapping[str, int]]) -> str | None:
    """Why launches in a row may not have these shapes in one memory, in words behind the schedule's name; None where
    they may."""
    free = change(schedule)
    different = [shape for shape in shapes if shape != shapes[0]]
    if not different or free == "any":
        return None
    if free == "one":
        return "hands each word back with its data, so a workspace is for one shape"
    sizes = [_words(schedule)] if free == "same words" else [_words(schedule), _halves(schedule)]
    cores = {"cores": analysis.launch_cores(schedule)}
    for size, what in zip(sizes, ("words", "halves of buffers"), strict=False):
        at = {tuple(expr.evaluate({**shape, **cores}) for expr in size) for shape in shapes}
        if len(at) > 1:
            return f"has other {what} at these shapes, and a launch takes them to be where the last one had them"
    return None


def _words(schedule: Schedule) -> tuple[Expr, ...]:
    return tuple(words.word_count(region) for region in words.all_words(schedule))


def _halves(schedule: Schedule) -> tuple[Expr, ...]:
    return tuple(analysis.storage_elements(schedule, s) for s in schedule.buffers if analysis.halved(schedule, s))


def _counts(schedule: Schedule, phase: Phase) -> bool:
    """Whether words that not every shape has say by their number how many launches were announced."""
    return phase.ready.unit == "block" and words.several_announce(schedule, phase) and words.adds(schedule)
