"""Binds names: from the syntax tree to exchanges and schedules, with every fault as a finding."""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.findings import Finding
from a2agen.grammar import tree
from a2agen.ir.model import Exchange, Schedule
from a2agen.passes.resolve.exchange import exchange
from a2agen.passes.resolve.faults import Faults
from a2agen.passes.resolve.names import Names
from a2agen.passes.resolve.schedule import schedule
from a2agen.passes.resolve.scope import ExchangeScope
from a2agen.passes.ways import expanded

__all__ = ["Resolved", "resolve"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The exchanges and schedules of a spec, in its order, as far as they could be made; and the faults.

    A schedule whose launcher chooses the link is there once for each.
    """

    exchanges: tuple[Exchange, ...]
    schedules: tuple[Schedule, ...]
    findings: tuple[Finding, ...]


def resolve(file: tree.File, path: str) -> Resolved:
    """Bind all names of a spec. Never raises for what a spec holds.

    A schedule is left out where its exchange, its target or its back end is not known, or where statements of it could
    not be read. Anything else at fault poisons the phase and the schedule that it is in.
    """
    faults = Faults(path)
    scopes: dict[str, ExchangeScope] = {}
    exchange_names = Names()
    for e in file.exchanges:
        faults.exchange = e.name.text
        made = exchange(e, faults)
        if exchange_names.give(e.name, "exchange", faults, emitted=False):
            scopes[e.name.text] = made
    schedules: list[Schedule] = []
    schedule_names: dict[str, Names] = {}
    for s in file.schedules:
        scope = scopes.get(s.exchange.text)
        if scope is None:
            if not file.damaged:
                faults.unknown(s.exchange, "exchange", "exchanges", scopes)
            scope = ExchangeScope(s.exchange.text, damaged=True)
        faults.exchange = scope.name
        names = schedule_names.setdefault(scope.name, Names())
        free = names.give(s.name, "schedule", faults, emitted=False)
        bound = schedule(s, scope, faults)
        if bound is not None and free:
            schedules += expanded(bound)
    exchanges = tuple(scope.exchange for scope in scopes.values() if scope.exchange is not None)
    return Resolved(exchanges, tuple(schedules), faults.findings())
