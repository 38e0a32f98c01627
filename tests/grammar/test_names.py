"""Words of the language are names wherever the grammar takes a name and no such word."""

from __future__ import annotations

import pytest

from a2agen.grammar.tables import load
from tests.grammar.texts import findings, in_exchange, parsed, shown

KEYWORDS = sorted(word for actions in load().actions for word in actions if word.isalpha())

SPEC = """\
exchange {0} {{
  ranks {0} in 2..8
  dim {0} in 1..8
  where {0} * {0}**2 <= {0}
  in {0} : {0} [({0} to) {0}] strided
  out {0} : {0} [from {0}]
  case {0} {{ {0} = 1, {0} = 2 }}
}}
schedule {0} for {0} {{
  target {0}
  emit {0}
  block {0} by 8
  buffer {0} : [{0} ({0} {0})] overlay {0}[self]
  place {0} symmetric
  role {0} : even, rest of {0}
  phase {0} on {0} {{
    move {0} -> {0} for all
    link {0} (split)
    link {0}
    tile {0} 8, {0} 16
    ready none
  }}
  rounds reset
}}
"""


@pytest.mark.parametrize("word", sorted(set(KEYWORDS) - {"to", "from"}))
def test_every_word_can_be_every_name(word: str) -> None:
    file = parsed(SPEC.format(word))
    (schedule,) = file.schedules
    (phase,) = schedule.phases
    assert (
        phase.name.text == phase.role.text == phase.moves[0].source.text == phase.tiles[0].extents[1].axis.text == word
    )
    assert [len(phase.links), len(phase.tiles), len(schedule.roles), len(file.exchanges[0].cases)] == [2, 1, 1, 1]


@pytest.mark.parametrize("word", ["to", "from"])
def test_the_two_rank_axes_name_nothing_else(word: str) -> None:
    why = "`to` and `from` are the destination and the source rank of a row, and can name nothing else"
    assert shown(findings(in_exchange(f"dim {word} in 1..2"))) == [f"2:7 expected a name, found `{word}` | {why}"]


@pytest.mark.parametrize("name", ["_", "a_1", "X9", "NAME", "INT", "a" * 1000])
def test_other_names(name: str) -> None:
    assert parsed(f"exchange {name} {{ }}").exchanges[0].name.text == name
