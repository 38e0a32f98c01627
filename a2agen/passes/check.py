"""All checks of a spec, from its text to its findings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from a2agen.findings import Finding, Severity
from a2agen.grammar.parse import parse
from a2agen.grammar.tree import File
from a2agen.ir.model import Exchange, Schedule
from a2agen.passes.resolve import resolve
from a2agen.passes.rules.registry import rules
from a2agen.passes.rules.rule import Report, Trials
from a2agen.passes.suppress import suppress, touch
from a2agen.source import Source, Span

# Moves that repeat another, impossible ones and those in a circle: whatever rules say next of a phase with such a move
# would be a consequence.
_POISONOUS = ("A204", "A206", "A214")


@dataclass(frozen=True, slots=True)
class Checked:
    """A spec with its findings in the order of the text, and its exchanges and schedules as far as they are known."""

    source: Source
    findings: tuple[Finding, ...]
    exchanges: tuple[Exchange, ...]
    schedules: tuple[Schedule, ...]
    faulty: frozenset[tuple[str, str]]

    def sound(self, schedule: Schedule) -> bool:
        """Whether a schedule of this spec can be lowered: all of it is known and it has no error, nor its exchange."""
        return (schedule.exchange.name, schedule.declared) not in self.faulty


def check(source: Source) -> Checked:
    """Check a spec. Never raises for what the text holds; all faults come in one go."""
    file, syntax = parse(source)
    bound = resolve(file, source.path)
    findings = [*syntax, *bound.findings]
    broken: set[str] = set()
    for exchange in bound.exchanges:
        found = _check_exchange(exchange, source.path)
        findings += found
        if any(f.severity is Severity.ERROR for f in found):
            broken.add(exchange.name)
    judged = [s for s in bound.schedules if s.exchange.name not in broken]
    trials = Trials()
    for schedule in judged:
        findings += _check_schedule(schedule, source.path, trials)
    whole = {(s.exchange.name, s.declared) for s in judged if not s.poisoned}
    kept = suppress(findings, file.suppressions, _unchecked(file, bound.exchanges, whole), source.path)
    ordered = tuple(sorted(dict.fromkeys(kept), key=lambda f: f.sort_key))
    return Checked(source, ordered, bound.exchanges, bound.schedules, _faulty(file, ordered, whole))


def _check_exchange(exchange: Exchange, path: str) -> list[Finding]:
    report = Report(path)
    for rule in rules():
        if rule.scope == "exchange":
            report.run(rule, exchange)
    return report.findings


def _check_schedule(schedule: Schedule, path: str, trials: Trials) -> list[Finding]:
    """The findings of the rules on what is known of a schedule."""
    known = replace(schedule, phases=tuple(p for p in schedule.phases if not p.poisoned))
    rounds_unknown = schedule.rounds_span == schedule.span
    report = Report(path, trials=trials)
    for rule in rules():
        if rule.scope == "schedule" and not (rounds_unknown and rule.code.startswith("A6")):
            report.run(rule, known)
        if rule.code in _POISONOUS:
            known = _without_moves(known, {f.span for f in report.findings if f.code == rule.code})
    return report.findings


def _without_moves(schedule: Schedule, faulty: set[Span]) -> Schedule:
    """The schedule without the phases that have faulty moves."""
    phases = tuple(p for p in schedule.phases if faulty.isdisjoint(m.span for m in p.moves))
    poisoned = schedule.poisoned or len(phases) < len(schedule.phases)
    return replace(schedule, phases=phases, poisoned=poisoned)


def _unchecked(file: File, exchanges: tuple[Exchange, ...], whole: set[tuple[str, str]]) -> list[Span]:
    """Where rules could not look: blocks at fault, or the whole file where blocks of it could not be read."""
    if file.damaged:
        return [file.span]
    made = {e.name for e in exchanges}
    spans = [e.span for e in file.exchanges if e.name.text not in made]
    return spans + [s.span for s in file.schedules if (s.exchange.text, s.name.text) not in whole]


def _faulty(file: File, findings: tuple[Finding, ...], whole: set[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    errors = [f.span for f in findings if f.severity is Severity.ERROR]
    at_fault = {e.name.text for e in file.exchanges if any(touch(e.span, error) for error in errors)}
    return frozenset(
        (s.exchange.text, s.name.text)
        for s in file.schedules
        if (s.exchange.text, s.name.text) not in whole
        or s.exchange.text in at_fault
        or any(touch(s.span, error) for error in errors)
    )
