"""What a rule is, and how it reports."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Literal

from a2agen.findings import Finding, Severity
from a2agen.ir.model import Exchange, Schedule
from a2agen.source import Span


@dataclass(slots=True)
class Trials:
    """What a spec has cost in changes that helps would offer, and the errors of the schedule changed last."""

    work: int = 0
    schedule: Schedule | None = None
    errors: frozenset[str] = frozenset()


@dataclass(slots=True)
class Report:
    """Collects the findings of one spec, and remembers which code fired on what.

    A finding about a subject is dropped where a code that its rule `requires` has fired on the same subject: it would
    be a consequence, not a fault of its own. `trials` is None where the rules look at a change that a help would offer.
    """

    path: str
    findings: list[Finding] = field(default_factory=list)
    trials: Trials | None = field(default_factory=Trials)
    _rule: Rule | None = None
    _scope: Hashable = None
    _fired: dict[tuple[Hashable, Hashable], set[str]] = field(default_factory=dict)

    def run(self, rule: Rule, subject: Exchange | Schedule) -> None:
        """Run one rule on an exchange or a schedule."""
        self._rule, self._scope = rule, (type(subject).__name__, subject.name)
        assert rule.check is not None
        rule.check(subject, self)  # type: ignore[arg-type]  # its scope says which of the two it takes

    def __call__(self, span: Span, message: str, help: str | None = None, about: Hashable = None) -> None:  # noqa: A002
        """Report a fault at `span`. `about` is what is at fault, such as ("phase", name); the whole exchange or
        schedule where it is left out."""
        assert self._rule is not None
        subject = (self._scope, about)
        fired = self._fired.setdefault(subject, set())
        if fired.isdisjoint(self._rule.requires):
            self.findings.append(Finding(self._rule.code, message, self.path, span, self._rule.severity, help))
        fired.add(self._rule.code)

    def found(self, about: Hashable, *codes: str) -> bool:
        """Whether one of the codes has fired on a subject: what depends on it would be a consequence."""
        return not self._fired.get((self._scope, about), set()).isdisjoint(codes)

    def anywhere(self, *codes: str) -> bool:
        """Whether one of the codes has fired on anything of the exchange or schedule at hand."""
        return any(
            not set(codes).isdisjoint(fired) for (scope, _), fired in self._fired.items() if scope == self._scope
        )


ExchangeCheck = Callable[[Exchange, Report], None]
ScheduleCheck = Callable[[Schedule, Report], None]


@dataclass(frozen=True, slots=True)
class Rule:
    """A fault that can be found before a device runs.

    `scope` says what `check` gets. A rule of scope `text` has no check of its own: the parser or the name resolution
    reports it.
    """

    code: str
    name: str
    scope: Literal["text", "exchange", "schedule"]
    severity: Severity = Severity.ERROR
    requires: frozenset[str] = frozenset()
    check: ExchangeCheck | ScheduleCheck | None = None
    doc: str = ""

    @property
    def summary(self) -> str:
        return self.doc.strip().splitlines()[0] if self.doc.strip() else self.name


def exchange_rule(
    code: str, name: str, severity: Severity = Severity.ERROR, requires: tuple[str, ...] = ()
) -> Callable[[ExchangeCheck], Rule]:
    """Make a rule of a function that checks an exchange."""
    return lambda check: Rule(code, name, "exchange", severity, frozenset(requires), check)


def schedule_rule(
    code: str, name: str, severity: Severity = Severity.ERROR, requires: tuple[str, ...] = ()
) -> Callable[[ScheduleCheck], Rule]:
    """Make a rule of a function that checks a schedule."""
    return lambda check: Rule(code, name, "schedule", severity, frozenset(requires), check)
