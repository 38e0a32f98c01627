"""What the rules would say of a changed schedule: helps offer no change that they refuse next."""

from __future__ import annotations

from dataclasses import replace

from a2agen.findings import Severity
from a2agen.ir.model import Link, Move, Phase, Role, Schedule, Storage
from a2agen.passes.rules.rule import Report

_MOST_PHASES = 8
"""Rules go over whole schedules: beyond this, changes to each of the phases would take long to try."""
_MOST_WORK = 50
"""Trials of one spec, of schedules of few dims: about half a second. Beyond this helps name fewer ways."""
_DIMS = 50
"""So many dims more take as long as another trial."""


def accepted(schedule: Schedule, changed: Schedule, report: Report) -> bool:
    """Whether the rules find no error in a changed schedule but such as they find in the schedule as it is.

    False in a trial of another change, so that rules do not try each other's.
    """
    trials, work = report.trials, 1 + len(schedule.exchange.dims) // _DIMS
    if trials is None or len(schedule.phases) > _MOST_PHASES or trials.work + work > _MOST_WORK:
        return False
    trials.work += work
    if trials.schedule is not schedule:
        trials.schedule, trials.errors = schedule, _errors(schedule)
    return _errors(changed) <= trials.errors


def with_link(schedule: Schedule, phase: Phase, name: str) -> Schedule:
    """A schedule with a link, without options, in one of its phases."""
    return with_phase(schedule, phase, replace(phase, link=Link(name, span=phase.link.span)))


def with_phase(schedule: Schedule, phase: Phase, other: Phase) -> Schedule:
    """A schedule with another phase in the place of one."""
    return replace(schedule, phases=tuple(other if p is phase else p for p in schedule.phases))


def with_move(schedule: Schedule, phase: Phase, move: Move, other: Move) -> Schedule:
    """A schedule with another move in the place of one of a phase's."""
    return with_phase(schedule, phase, replace(phase, moves=tuple(other if m is move else m for m in phase.moves)))


def with_role(schedule: Schedule, role: Role, other: Role) -> Schedule:
    """A schedule with another role in the place of one, in its phases too."""
    phases = tuple(replace(p, role=other) if p.role.name == role.name else p for p in schedule.phases)
    return replace(schedule, roles=tuple(other if r.name == role.name else r for r in schedule.roles), phases=phases)


def with_storage(schedule: Schedule, storage: Storage, other: Storage) -> Schedule:
    """A schedule with another buffer or tensor in the place of one, in its moves too."""

    def of(s: Storage) -> Storage:
        return other if s is storage else s

    phases = tuple(
        replace(p, moves=tuple(replace(m, source=of(m.source), target=of(m.target)) for m in p.moves))
        for p in schedule.phases
    )
    return replace(schedule, storages=tuple(map(of, schedule.storages)), phases=phases)


def _errors(schedule: Schedule) -> frozenset[str]:
    from a2agen.passes.rules.registry import rules  # noqa: PLC0415 - it loads the rules that load this

    report = Report("", trials=None)
    for rule in rules():
        if rule.scope == "schedule":
            report.run(rule, schedule)
    return frozenset(f.code for f in report.findings if f.severity is Severity.ERROR)
