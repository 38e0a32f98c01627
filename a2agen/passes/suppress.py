"""Findings that a spec allows, with a reason: `# a2a: allow[A504] reason`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from a2agen.findings import Finding, Severity
from a2agen.grammar.tree import Suppression
from a2agen.passes.rules.registry import rule, rules
from a2agen.source import Span

UNUSED, NO_REASON, NOT_ALLOWED = "A901", "A902", "A903"


def suppress(
    findings: Sequence[Finding], suppressions: Sequence[Suppression], unchecked: Sequence[Span], path: str
) -> list[Finding]:
    """The findings that are not allowed, and those about the suppressions themselves.

    `unchecked` is where faults kept rules from being run: a suppression there may be needed once they are.
    """
    kept = list(findings)
    for s in suppressions:
        refusal = _refusal(s, path)
        if refusal is not None:
            kept.append(refusal)
            continue
        if not s.reason:
            message = f"{s.code.text} is allowed without a reason"
            way_out = "write behind it why the finding does not matter here"
            kept.append(Finding(NO_REASON, message, path, s.span, Severity.WARNING, way_out))
        left = [f for f in kept if not (f.code == s.code.text and s.covers.line <= f.span.line <= s.covers.end_line)]
        if len(left) < len(kept):
            kept = left
        elif not any(touch(s.covers, span) for span in unchecked):
            where = f"line {s.covers.line}" if s.covers.line == s.covers.end_line else f"lines {_lines(s.covers)}"
            message = f"there is no {s.code.text} on {where}: nothing to allow"
            kept.append(Finding(UNUSED, message, path, s.span, Severity.WARNING, "remove the comment"))
    return kept


def touch(one: Span, other: Span) -> bool:
    """Whether two spans have a line in common."""
    return one.line <= other.end_line and other.line <= one.end_line


def _lines(span: Span) -> str:
    return f"{span.line} to {span.end_line}"


def _refusal(s: Suppression, path: str) -> Finding | None:
    code = s.code.text
    if rule(code) is None or code != code.upper():
        message, way_out = f"there is no rule {code} to allow", _codes_like(code, (r.code for r in rules()))
    elif code[1] in "19":
        what = "names and syntax" if code[1] == "1" else "suppressions"
        message, way_out = f"{code} can't be allowed: it is about {what}", "correct what it reports"
    else:
        return None
    return Finding(NOT_ALLOWED, message, path, s.code.span, Severity.WARNING, way_out)


def _codes_like(code: str, known: Iterable[str]) -> str:
    family = [k for k in known if k[:2] == code[:2].upper()]
    return f"the rules of this family are {', '.join(family)}" if family else "`a2agen explain` lists all rules"
