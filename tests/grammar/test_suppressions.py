"""Suppressions: which comments are one, and what they cover."""

from __future__ import annotations

import pytest

from a2agen.grammar.parse import parse
from a2agen.source import Source
from tests.grammar.texts import covered, in_schedule, parsed, shown

SPEC = """\
# a2a: allow[A501] the whole exchange
exchange e {
  dim S in 1..4  # a2a: allow[A201]   bounds come from the model

  # a2a: allow[A202]
  #   a2a:allow [ A203 ] why not
  # some other remark
  in A : f32 [
    (to S)
  ]
  case c { S = 2 }
  # a2a: allow[A204] nothing follows
}
"""


def test_codes_and_reasons() -> None:
    found = parsed(SPEC).suppressions
    assert [(s.code.text, s.reason) for s in found] == [
        ("A501", "the whole exchange"),
        ("A201", "bounds come from the model"),
        ("A202", ""),
        ("A203", "why not"),
        ("A204", "nothing follows"),
    ]
    assert [covered(SPEC, s.code.span) for s in found] == [s.code.text for s in found]
    assert covered(SPEC, found[2].span) == "# a2a: allow[A202]"


def test_a_comment_after_something_covers_its_line() -> None:
    line = parsed(SPEC).suppressions[1].covers
    assert covered(SPEC, line) == SPEC.split("\n")[2]


def test_a_comment_on_its_own_covers_what_follows() -> None:
    whole, _, first, second, last = (s.covers for s in parsed(SPEC).suppressions)
    exchange = parsed(SPEC).exchanges[0]
    assert whole == exchange.span
    assert first == second == exchange.tensors[0].span
    assert covered(SPEC, last) == "}"


def test_a_block_inside_a_block_is_covered_as_a_whole() -> None:
    text = in_schedule("# a2a: allow[A600]", "phase p on r {", "  ready none", "}", "rounds reset")
    file = parsed(text)
    assert file.suppressions[0].covers == file.schedules[0].phases[0].span


def test_before_the_end_of_the_file_nothing_is_covered() -> None:
    text = "exchange e { }\n# a2a: allow[A600]"
    assert covered(text, parsed(text).suppressions[0].covers) == ""


@pytest.mark.parametrize(
    "comment", ["# a2a: allow A101", "#a2a: allow[]", "# a2a: deny[A101]", "# a2a:", "# a2a : allow[A1 A2]"]
)
def test_comments_that_only_look_like_one_are_reported(comment: str) -> None:
    file, found = parse(Source("spec.a2a", f"exchange e {{\n  {comment}\n}}"))
    assert file.suppressions == ()
    assert shown(found) == ["2:3 expected `# a2a: allow[CODE] reason`, found another comment that begins with `a2a:`"]


@pytest.mark.parametrize("comment", ["# allow[A101]", "# see a2a: allow[A101]", "# a2agen", "## a2a: allow[A101]"])
def test_other_comments_are_left_alone(comment: str) -> None:
    assert parsed(f"exchange e {{ {comment}\n}}").suppressions == ()
