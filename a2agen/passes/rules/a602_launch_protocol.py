"""`ready`, `free` and `rounds` that do not make a protocol.

A kernel is launched again and again, and ranks drift: one rank may be in its next launch while another still
reads what the last one brought. `ready` says how a reader learns that data is there, `free` how a writer learns
that it is gone, `rounds` what makes the next launch safe. Not every combination does that. `docs/protocol.md`
has the table of all of them.

Why it matters: a combination without a protocol hangs, or a fast rank overwrites what a slow one is reading,
once in many launches.

Instead of

    ready  notify per peer
    free   credit per peer
    rounds reset

take a combination of the table, here

    rounds epoch
"""

from dataclasses import replace

from a2agen.ir.model import Free, Move, Phase, Ready, Schedule
from a2agen.passes import analysis
from a2agen.passes.protocol.table import FREES, READIES
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.trial import accepted, with_phase
from a2agen.passes.rules.wording import listed


@schedule_rule("A602", "launch-protocol", requires=("A301", "A409", "A509", "A601", "A308"))
def check(schedule: Schedule, report: Report) -> None:
    for phase, move in analysis.moves(schedule):
        error = analysis.row(schedule, phase, move).error
        nothing_said = phase.ready.kind == "none" or phase.free.kind == "none"
        if error is None or nothing_said or not analysis.announced(schedule, move):
            continue
        other = replace(schedule, rounds="epoch" if schedule.rounds == "reset" else "reset")
        if analysis.row(other, phase, move).error is None:
            span, ways = schedule.rounds_span, [f"`rounds {other.rounds}`"]
        else:
            span, ways = phase.free.span, _ways_out(schedule, phase, move, report)
        report(
            span,
            f"`ready {phase.ready}`, `free {phase.free}` and `rounds {schedule.rounds}` make no protocol for "
            f"{move.target.name}: {error.split(';')[0]}",
            f"write {listed(ways, 'or')}" if ways else None,
            about=of(phase),
        )


def _ways_out(schedule: Schedule, phase: Phase, move: Move, report: Report) -> list[str]:
    """Other `free` clauses that make a protocol with the rest as it is; where none does, other `ready` clauses; where
    none of those does either, both. Those that no other rule refuses come alone, where there are any."""

    def sound(other: Phase) -> bool:
        return analysis.row(schedule, other, move).error is None

    frees = [Free(kind, unit, span=phase.free.span) for kind, unit in FREES]  # type: ignore[arg-type]  # only its units
    readies = [Ready(*r, span=phase.ready.span) for r in READIES if r[0] in ("notify", "barrier")]
    ways = {f"`free {free}`": replace(phase, free=free) for free in frees}
    found = {text: other for text, other in ways.items() if sound(other)}
    if not found:
        ways = {f"`ready {ready}`": replace(phase, ready=ready) for ready in readies}
        found = {text: other for text, other in ways.items() if sound(other)}
    if not found:
        ways = {f"`ready {r}` and `free {f}`": replace(phase, ready=r, free=f) for r in readies for f in frees}
        found = {text: other for text, other in ways.items() if sound(other)}
    taken = [text for text, other in found.items() if accepted(schedule, with_phase(schedule, phase, other), report)]
    return taken or list(found)
