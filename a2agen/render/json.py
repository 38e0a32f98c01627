"""Findings as JSON: the format of `lint --format json`, also part of what `run` prints."""

from __future__ import annotations

import json
from collections.abc import Iterable

from a2agen.findings import Finding
from a2agen.render import Listing

VERSION = 1


def records(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """The findings as JSON objects; lines and columns count from 1, `end_column` is exclusive."""
    return [
        {
            "code": f.code,
            "severity": f.severity.value,
            "message": f.message,
            "path": f.path,
            "line": f.span.line,
            "column": f.span.column,
            "end_line": f.span.end_line,
            "end_column": f.span.end_column,
            "help": f.help,
        }
        for f in findings
    ]


def document(**fields: object) -> str:
    """A JSON document with the version of the format in front."""
    return json.dumps({"version": VERSION, **fields}, indent=2)


def render(listing: Listing) -> str:
    return document(findings=records(listing.findings))
