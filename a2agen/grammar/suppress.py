"""Suppressions: comments that allow a finding."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Mapping, Sequence

from a2agen.grammar.scan import Comment, Token
from a2agen.grammar.tree import Name, Suppression
from a2agen.source import Span

_ADDRESSED = re.compile(r"#\s*a2a\s*:")
_ALLOW = re.compile(r"#\s*a2a\s*:\s*allow\s*\[\s*(?P<code>[A-Za-z0-9_]+)\s*\]\s*(?P<reason>.*)")


def suppressions(
    comments: Sequence[Comment], tokens: Sequence[Token], statements: Mapping[tuple[int, int], Span]
) -> tuple[tuple[Suppression, ...], tuple[Span, ...]]:
    """The suppressions among the comments, and the spans of comments that begin as one and are none.

    `statements` are the spans of statements and blocks by the place where they begin, line and column.
    """
    found = []
    malformed = []
    starts = [(token.span.line, token.span.column) for token in tokens]
    for comment in comments:
        if not _ADDRESSED.match(comment.text):
            continue
        match = _ALLOW.fullmatch(comment.text)
        if match is None:
            malformed.append(comment.span)
            continue
        line, column = comment.span.line, comment.span.column
        code = Name(match["code"], Span(line, column + match.start("code"), line, column + match.end("code")))
        covers = Span(line, 1, line, comment.span.end_column)
        if comment.first:
            following = tokens[bisect(starts, (line, column))].span
            covers = statements.get((following.line, following.column), following)
        found.append(Suppression(code, match["reason"].strip(), covers, comment.span))
    return tuple(found), tuple(malformed)
