"""Rows for another rank go into memory that only this rank knows.

A store or a put at a peer needs an address there. Symmetric memory lies at the same place in every rank's heap,
so its own address is enough; of a local buffer, or of a tensor that the caller gave, no other rank knows where
it is.

Why it matters: the address of the peer is computed from the offset in the heap. For other memory it points to
anything.

Instead of

    buffer P : [from S H D] local
    move   A -> P for others

say where it lies:

    buffer P : [from S H D] symmetric

and for a tensor of the exchange `place C symmetric`.
"""

from dataclasses import replace

from a2agen.ir.model import FROM, TO, Layout, Move, Schedule, Storage
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.trial import accepted, with_storage


@schedule_rule("A507", "not-symmetric", requires=("A504",))
def check(schedule: Schedule, report: Report) -> None:
    told: set[str] = set()
    for phase, move in analysis.moves(schedule):
        target: Storage = move.target
        if target.symmetric or not analysis.reaches_peers(move) or target.name in told:
            continue
        told.add(target.name)
        if target.kind == "buffer":
            report(
                target.span,
                f"{target.name} is local, and phase {phase.name} writes to it at other ranks",
                f"write `symmetric` for {target.name}",
                about=of(target),
            )
        else:
            report(
                move.span,
                f"{target.name} is local, and this move writes to it at other ranks",
                _way_out(schedule, move, report),
                about=of(target),
            )


def _way_out(schedule: Schedule, move: Move, report: Report) -> str:
    """To place a tensor in symmetric memory, and to say when it may be written where that is not said."""
    target = move.target
    placed = with_storage(schedule, target, replace(target, symmetric=True))
    offer = f"write `place {target.name} symmetric`"
    meant = _meant_to_receive(move.source)
    if accepted(schedule, placed, report) or not meant:
        return offer + (f", or {meant}" if meant else "")
    return meant


def _meant_to_receive(source: Storage) -> str:
    """A buffer that is symmetric though it is indexed by `to` was perhaps meant to lie at the receiver."""
    if source.kind != "buffer" or not source.symmetric or source.side != "sender":
        return ""
    factors = tuple(tuple(FROM if axis == TO else axis for axis in group) for group in source.layout.factors)
    return f"lay {source.name} out as `{Layout(factors)}` if other ranks are to write to it"
