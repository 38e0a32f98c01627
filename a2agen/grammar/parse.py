"""From a source to its syntax tree and its syntax errors."""

from __future__ import annotations

from a2agen.findings import Finding
from a2agen.grammar import tree
from a2agen.grammar.parser import SYNTAX, Parser, Progress
from a2agen.grammar.read import UNREADABLE
from a2agen.grammar.recover import recover
from a2agen.grammar.suppress import suppressions
from a2agen.source import Source


def parse(source: Source) -> tuple[tree.File, tuple[Finding, ...]]:
    """The syntax tree of a spec, and its syntax errors in the order of the text.

    Never raises. A statement with an error is missing from the tree, and the block that it stood in is damaged.
    """
    parser = Parser(source)
    while (progress := parser.step()) is not Progress.DONE:
        if progress is Progress.STUCK:
            recover(parser)

    findings = parser.findings
    allowed, malformed = suppressions(parser.comments, parser.tokens, parser.statements)
    for span in malformed:
        message = "expected `# a2a: allow[CODE] reason`, found another comment that begins with `a2a:`"
        findings.append(Finding(SYNTAX, message, source.path, span))
    end = parser.tokens[-1].span
    if len(parser.tokens) == 1:
        findings.append(
            Finding(UNREADABLE, "the file is empty: it has no exchange and no schedule", source.path, source.start)
        )
    file = tree.File(
        exchanges=tuple(item for item in parser.items() if isinstance(item, tree.ExchangeDecl)),
        schedules=tuple(item for item in parser.items() if isinstance(item, tree.ScheduleDecl)),
        suppressions=allowed,
        damaged=None in parser.damaged,
        span=source.start.to(end),
    )
    return file, tuple(sorted(findings, key=lambda finding: finding.sort_key))
