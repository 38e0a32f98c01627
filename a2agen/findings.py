"""What a check reports: a finding with a code, a place and a way out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from a2agen.source import Span


class Severity(Enum):
    """How much a finding matters. Errors and warnings make the exit code 1, advice does not."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a spec.

    `code` is `A` and three digits, the first of them the family; `help` is the way out, where there is one.
    """

    code: str
    message: str
    path: str
    span: Span
    severity: Severity = Severity.ERROR
    help: str | None = None

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        return (self.path, self.span.line, self.span.column, self.code, self.message)


def fails(findings: Iterable[Finding]) -> bool:
    """Whether any of the findings makes the exit code 1."""
    return any(f.severity is not Severity.ADVICE for f in findings)
