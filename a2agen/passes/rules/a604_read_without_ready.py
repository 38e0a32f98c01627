"""A buffer is read in the launch that writes it, and its writer announces nothing.

Phases run side by side on different cores and ranks. Only `ready` tells a reader that what it is about to read
is there. `ready none`, the default, is for what later work of the stream reads.

Why it matters: the reader starts at once and copies what was in the buffer before, most of the time rows of the
last launch.

Instead of

    phase send on sender {
      move  A -> P
      link  mte
      tile  S 8, D 256
    }

announce what was moved:

      ready notify per tile
"""

from dataclasses import replace
from typing import Literal

from a2agen.ir.model import Free, Phase, Ready, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.trial import accepted, with_phase


@schedule_rule("A604", "read-without-ready", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    if report.anywhere("A206", "A214"):
        return
    for reader, move in analysis.moves(schedule):
        silent = {p.name: p for _, p, _ in analysis.feeds(schedule, move) if p.ready.kind == "none"}
        for writer, phase in silent.items():
            report(
                phase.ready.span,
                f"phase {reader.name} reads {move.source.name} in the same launch, and phase {writer}, "
                f"which writes it, announces nothing",
                f"write {_wanted(schedule, phase, report)} in phase {writer}",
                about=of(phase),
            )


def _wanted(schedule: Schedule, phase: Phase, report: Report) -> str:
    """The announcement that goes with a phase, and the credit where its slots are used again."""
    unit: Literal["tile", "block", "peer"]
    unit = "tile" if phase.tile is not None else "block" if schedule.block is not None else "peer"
    ready = replace(phase, ready=Ready("notify", unit, span=phase.ready.span))
    freed = replace(ready, free=Free("credit", "tile", span=phase.free.span))
    with_ready, with_both = (with_phase(schedule, phase, other) for other in (ready, freed))
    text = f"`ready notify per {unit}`"
    if not accepted(schedule, with_ready, report) and accepted(schedule, with_both, report):
        text += " and `free credit per tile`"
    return text
