"""What a schedule says that has no lowering yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from a2agen.ir.ceiling import Values
from a2agen.ir.model import Phase, Schedule
from a2agen.passes import analysis
from a2agen.passes.lower.clashes import clashes
from a2agen.source import Span

# A 32-bit counter steps past the last task by up to as many as there are cores, which are fewer than 2**16.
_MOST_TASKS = 2**31 - 2**16


@dataclass(frozen=True, slots=True)
class Unlowered:
    """A part of a schedule that a plan cannot hold yet: `what` it is, and the `way_out` where there is one."""

    what: str
    span: Span
    way_out: str | None = None


def unlowered(schedule: Schedule) -> tuple[Unlowered, ...]:
    """Each part of a sound schedule that `lower` cannot take; none where it takes all of it."""
    names = (
        Unlowered(f"the name {name}, which emitted code makes for itself,", span, "choose another name")
        for name, span in clashes(schedule)
    )
    inputs = (
        Unlowered(f"{s.name} in symmetric memory, an input,", s.span, f"leave out `place {s.name} symmetric`")
        for s in schedule.storages
        if s.kind == "in" and s.symmetric
    )
    phases = (found for phase in schedule.phases for found in _phase(schedule, phase))
    return tuple(dict.fromkeys((*names, *inputs, *phases)))


def _phase(schedule: Schedule, phase: Phase) -> Iterator[Unlowered]:
    kind = schedule.target.link(phase.link.name).kind
    if phase.role.cores == "host":
        yield from _host_phase(schedule, phase)
    if kind == "load_store" and (values := _too_many_tasks(schedule, phase)):
        shape = ", ".join(f"{name} = {value}" for name, value in values.items())
        what = f"a task loop of phase {phase.name} that passes 31 bits, as for {shape},"
        chosen = analysis.launcher_tiles(schedule, phase)
        yield Unlowered(
            what, phase.span, "bound the extents" if chosen else "make the tiles larger, or bound the extents"
        )


def _host_phase(schedule: Schedule, phase: Phase) -> Iterator[Unlowered]:
    """Copies by the host go straight from the input to the output, and no core moves anything beside them."""
    for move in phase.moves:
        if (move.source.kind, move.target.kind) != ("in", "out"):
            what = f"a move of the host from {move.source.name} to {move.target.name}"
            way_out = f"move {schedule.source.name} -> {schedule.result.name}"
            yield Unlowered(what, move.span, way_out)
    if not analysis.of_host(schedule):
        yield Unlowered("a host role beside roles of cores", phase.role.span, "give every phase to a host role")


def _too_many_tasks(schedule: Schedule, phase: Phase) -> Values | None:
    """Extents for which a phase has more tasks than its loop can count."""
    return schedule.exchange.bounds.above(analysis.most_tasks(schedule, phase), _MOST_TASKS)
