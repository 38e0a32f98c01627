from __future__ import annotations

import re
import time

import pytest

from a2agen.findings import Finding, Severity
from a2agen.render import Listing
from a2agen.render.cells import lay_out
from a2agen.render.text import WIDTH, render, summary
from a2agen.source import Source, Span


def show(text: str, span: Span, color: bool = False, **changes) -> list[str]:
    values = {"code": "A301", "message": "no such link", "path": "x.a2a", **changes}
    listing = Listing((Finding(span=span, **values),), {"x.a2a": Source("x.a2a", text)}, color)
    return render(listing).split("\n")


def test_message_place_line_carets_and_help():
    text = "\n" * 9 + "  link udma\n"
    assert show(text, Span(10, 8, 10, 12), help="use mte") == [
        "error[A301]: no such link",
        "  --> x.a2a:10:8",
        "   |",
        "10 |   link udma",
        "   |        ^^^^",
        "   = help: use mte",
    ]


def test_lines_of_a_long_help_stand_under_each_other():
    assert show("a\n", Span(1, 1, 1, 2), help="one\ntwo")[-2:] == ["  = help: one", "          two"]


@pytest.mark.parametrize(
    ("line", "mark", "shown", "carets"),
    [
        ("\tlink udma", "udma", "    link udma", "         ^^^^"),
        ("a\tudma", "udma", "a   udma", "    ^^^^"),
        ("# 漢字 udma", "udma", "# 漢字 udma", "       ^^^^"),
        ("# 漢字 udma", "漢字", "# 漢字 udma", "  ^^^^"),
        ("# e\u0301te\u0301 udma", "udma", "# e\u0301te\u0301 udma", "      ^^^^"),
        ("# \x1b[31m udma", "udma", "# �[31m udma", "        ^^^^"),
        ("a\u202eb udma", "udma", "a�b udma", "    ^^^^"),
    ],
)
def test_carets_stand_under_their_text(line, mark, shown, carets):
    column = line.index(mark) + 1
    assert show(line, Span(1, column, 1, column + len(mark)))[3:] == [f"1 | {shown}", f"  | {carets}"]


def test_an_empty_span_at_the_end_of_a_line_has_one_caret():
    assert show("abc\n", Span(1, 4, 1, 4))[3:] == ["1 | abc", "  |    ^"]


def test_an_end_of_file_past_the_last_line():
    assert show("abc\n", Span(2, 1, 2, 1))[3:] == ["2 |", "  | ^"]


def test_several_lines_are_marked_up_to_the_end_of_the_first():
    assert show("phase p {\n}\n", Span(1, 1, 2, 2))[3:] == ["1 | phase p {", "  | ^^^^^^^^^ up to line 2"]


@pytest.mark.parametrize("at", [0, 20, 90, 250, 380, 396])
@pytest.mark.parametrize("filler", ["x", "漢"])
def test_long_lines_are_clipped_around_the_mark(at, filler):
    line = filler * at + "udma" + filler * (396 - at)
    shown, carets = (row[4:] for row in show(line, Span(1, at + 1, 1, at + 5))[3:])
    cells = lay_out(shown).cells
    assert len(cells) <= WIDTH
    assert "".join(cells[carets.index("^") : len(carets)]) == "udma"
    assert carets.strip() == "^^^^"
    assert (shown[0] == "…") == (at * len(lay_out(filler).cells) > WIDTH // 3)


def test_a_mark_longer_than_the_window_is_cut_with_it():
    shown, carets = show("x" * 500, Span(1, 1, 1, 501))[3:]
    assert len(shown) == len(carets) == 4 + WIDTH
    assert set(carets[4:]) == {"^"}


def test_a_source_that_could_not_be_read_has_no_excerpt():
    listing = Listing((Finding("A100", "can't be read", "x.a2a", Span(1, 1, 1, 1)),), {})
    assert render(listing).split("\n") == ["error[A100]: can't be read", " --> x.a2a:1:1"]


def test_colour_changes_nothing_but_the_escapes():
    plain = show("abc\n", Span(1, 1, 1, 3), help="x")
    colored = show("abc\n", Span(1, 1, 1, 3), color=True, help="x")
    assert "\x1b[1;31merror[A301]\x1b[0m" in colored[0]
    assert [re.sub(r"\x1b\[[\d;]*m", "", row) for row in colored] == plain
    assert "\x1b" not in "".join(plain)


@pytest.mark.parametrize(
    ("severities", "text"),
    [
        ([], "3 specs checked, no findings"),
        ([Severity.ERROR], "1 error in 3 specs"),
        ([Severity.ERROR, Severity.WARNING, Severity.ERROR], "2 errors and 1 warning in 3 specs"),
        (list(Severity), "1 error, 1 warning and 1 piece of advice in 3 specs"),
    ],
)
def test_summary(severities, text):
    found = tuple(Finding("A301", "m", "x", Span(1, 1, 1, 2), severity) for severity in severities)
    assert summary(found, 3) == text


@pytest.mark.parametrize("text", ["x " * 60_000, "x\n" * 120_000], ids=["a long line", "many lines"])
def test_many_findings_in_a_large_file(text):
    """What shows a finding does not grow with what it is not about; laying the text out for each takes minutes."""
    many = tuple(Finding("A101", str(n), "x.a2a", Span(1, 1 + n, 1, 2 + n)) for n in range(600))
    begun = time.process_time()
    assert render(Listing(many, {"x.a2a": Source("x.a2a", text)}, False)).count("error[A101]") == 600
    assert time.process_time() - begun < 2
