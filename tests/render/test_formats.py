from __future__ import annotations

import json
import pkgutil

import pytest

import a2agen.render
from a2agen.findings import Finding, Severity
from a2agen.render import FORMATS, Listing, renderer
from a2agen.source import Span

FINDINGS = (
    Finding("A301", "no such\nlink", "a.a2a", Span(4, 3, 4, 9), help="use mte"),
    Finding("A701", "slow", "b ü.a2a", Span(1, 1, 2, 1), Severity.ADVICE),
)


def test_every_format_has_a_module():
    modules = {module.name for module in pkgutil.iter_modules(a2agen.render.__path__)}
    assert set(FORMATS) <= modules


@pytest.mark.parametrize(
    ("form", "text"), [("text", ""), ("concise", ""), ("json", '{\n  "version": 1,\n  "findings": []\n}')]
)
def test_no_findings(form, text):
    assert renderer(form)(Listing((), {})) == text


def test_concise_keeps_a_finding_on_one_line():
    assert renderer("concise")(Listing(FINDINGS, {})) == "a.a2a:4:3: A301 no such link\nb ü.a2a:1:1: A701 slow"


def test_json_is_ascii_and_complete():
    text = renderer("json")(Listing(FINDINGS, {}))
    assert text.isascii()
    assert json.loads(text) == {
        "version": 1,
        "findings": [
            {
                "code": "A301",
                "severity": "error",
                "message": "no such\nlink",
                "path": "a.a2a",
                "line": 4,
                "column": 3,
                "end_line": 4,
                "end_column": 9,
                "help": "use mte",
            },
            {
                "code": "A701",
                "severity": "advice",
                "message": "slow",
                "path": "b ü.a2a",
                "line": 1,
                "column": 1,
                "end_line": 2,
                "end_column": 1,
                "help": None,
            },
        ],
    }
