"""A phase reads behind a block's barrier and announces by the same barrier.

With `ready barrier` there is one barrier a block, which all phases that name it share: writers come before it,
readers behind it. A phase that reads what another announced by the barrier comes behind it, and can no longer
be announced by it.

Why it matters: readers of the second phase would leave the barrier before that phase has begun, and copy rows
of the last block.

Instead of

    phase pack on packer  { move A -> K        ready barrier }
    phase send on sender  { move K -> P for …  ready barrier }

announce one of the two by words:

    phase pack on packer  { move A -> K        ready notify per block }
"""

from dataclasses import replace
from typing import Literal

from a2agen.ir.model import Phase, Ready, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.trial import accepted, with_phase


@schedule_rule("A609", "announced-behind-its-barrier", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    if report.anywhere("A206", "A214"):
        return
    for phase, move in analysis.moves(schedule):
        before = [p for _, p, _ in analysis.feeds(schedule, move) if p.ready.kind == "barrier"]
        if phase.ready.kind == "barrier" and before:
            unit: Literal["block", "peer"] = "block" if schedule.block is not None else "peer"
            report(
                phase.ready.span,
                f"phase {phase.name} reads {move.source.name} behind the barrier that announces phase "
                f"{before[0].name}, and is announced by the same barrier",
                _way_out(schedule, (before[0], phase), unit, report),
                about=of(phase),
            )


def _way_out(schedule: Schedule, phases: tuple[Phase, Phase], unit: Literal["block", "peer"], report: Report) -> str:
    """Announcements by words, in the phase where the other rules take them."""
    for phase in phases:
        announced = replace(phase, ready=Ready("notify", unit, span=phase.ready.span))
        if accepted(schedule, with_phase(schedule, phase, announced), report):
            return f"write `ready notify per {unit}` in phase {phase.name}"
    return f"announce one of the two by words, as in `ready notify per {unit}`"
