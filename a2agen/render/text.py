"""Findings for people: the message, the line it is about with carets under the fault, and the way out."""

from __future__ import annotations

from a2agen.findings import Finding, Severity
from a2agen.render import Listing
from a2agen.render.cells import mark
from a2agen.source import Source

# Cells of a source line that are shown; longer lines are clipped around the fault.
WIDTH = 100

_BOLD = "1"
_GUTTER = "1;34"
_SEVERITY = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.ADVICE: "1;36"}
_PLURALS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.ADVICE: "pieces of advice"}
_SINGULARS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "piece of advice"}


def render(listing: Listing) -> str:
    return "\n\n".join(_one(f, listing.sources.get(f.path), listing.color) for f in listing.findings)


def summary(findings: tuple[Finding, ...], specs: int) -> str:
    """The closing line: `2 errors and 1 warning in 3 specs`."""
    counts = []
    for severity in Severity:
        n = sum(f.severity is severity for f in findings)
        if n:
            counts.append(f"{n} {(_SINGULARS if n == 1 else _PLURALS)[severity]}")
    noun = "spec" if specs == 1 else "specs"
    if not counts:
        return f"{specs} {noun} checked, no findings"
    *others, last = counts
    text = f"{', '.join(others)} and {last}" if others else last
    return f"{text} in {specs} {noun}"


def _one(finding: Finding, source: Source | None, color: bool) -> str:
    def paint(text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if color else text

    severity = _SEVERITY[finding.severity]
    label = paint(f"{finding.severity.value}[{finding.code}]", severity)
    span = finding.span
    number = str(span.line)
    margin = " " * len(number)
    bar = paint("|", _GUTTER)
    out = [
        f"{label}{paint(': ' + finding.message, _BOLD)}",
        f"{margin}{paint('-->', _GUTTER)} {finding.path}:{span.line}:{span.column}",
    ]
    if source is not None and source.text:
        several = span.end_line > span.line
        text = source.line(span.line)
        marked = mark(text, span.column, len(text) + 1 if several else span.end_column, WIDTH)
        carets = paint("^" * marked.length, severity)
        rest = f" up to line {span.end_line}" if several else ""
        out += [
            f"{margin} {bar}",
            f"{paint(number, _GUTTER)} {bar} {marked.text}".rstrip(),
            f"{margin} {bar} {' ' * marked.start}{carets}{rest}",
        ]
    if finding.help is not None:
        indent = " " * (len(margin) + len(" = help: "))
        help_text = finding.help.replace("\n", "\n" + indent)
        out.append(f"{margin} {paint('=', _GUTTER)} {paint('help', _BOLD)}: {help_text}")
    return "\n".join(out)
