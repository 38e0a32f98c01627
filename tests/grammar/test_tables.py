"""The checked-in tables are those of the grammar, and Lark reads the same language with the same grammar."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import UnexpectedInput

from a2agen.grammar.build import _BUILDERS
from a2agen.grammar.generate import GRAMMAR, tables
from a2agen.grammar.scan import scan
from a2agen.grammar.tables import TABLES, load
from tests.grammar.texts import FULL, findings

TEXT = GRAMMAR.read_text(encoding="utf-8")


def test_the_tables_are_fresh() -> None:
    assert tables(TEXT) == Path(TABLES).read_text(encoding="utf-8"), "run: python -m a2agen.grammar.generate"


def test_another_grammar_gives_other_tables() -> None:
    changed = TEXT.replace('EPOCH: "epoch"', 'EPOCH: "era"')
    assert changed != TEXT
    assert tables(changed) != tables(TEXT)


def test_every_rule_has_a_builder_and_every_builder_a_rule() -> None:
    origins = {rule.origin for rule in load().rules}
    assert {o for o in origins if not o.startswith("_")} - {"start"} == set(_BUILDERS)


def test_parsing_a_spec_does_not_load_lark() -> None:
    code = (
        "import sys; from a2agen.grammar.parse import parse; from a2agen.source import Source\n"
        "assert not parse(Source('x', 'exchange e { }'))[1]\n"
        "assert not {'lark', 'difflib'} & set(sys.modules), sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture(scope="module")
def lark() -> Lark:
    return Lark(TEXT + "\n%ignore /[ \\t\\r\\n]+/\n%ignore /#[^\\n]*/\n", parser="lalr", lexer="contextual")


def accepted(lark: Lark, text: str) -> bool:
    try:
        lark.parse(text)
    except UnexpectedInput:
        return False
    return True


@pytest.mark.parametrize("seed", range(120))
def test_the_parser_accepts_what_lark_accepts(lark: Lark, seed: int) -> None:
    choice = random.Random(seed)
    pieces = [token.text for token in scan(FULL)[0]][:-1]
    at = choice.randrange(len(pieces))
    change = choice.randrange(4)
    if change == 0:
        del pieces[at]
    elif change == 1:
        pieces.insert(at, choice.choice(pieces))
    elif change == 2:
        pieces[at] = choice.choice(pieces)
    else:
        other = choice.randrange(len(pieces))
        pieces[at], pieces[other] = pieces[other], pieces[at]
    # A token of its own is what `to` and `from` are only here: Lark has no reserved words.
    names_a_rank = any("`to` and `from`" in (f.help or "") for f in findings(" ".join(pieces)))
    if not names_a_rank:
        assert (findings(" ".join(pieces)) == ()) == accepted(lark, " ".join(pieces)), " ".join(pieces)


def test_lark_accepts_the_spec_and_not_anything(lark: Lark) -> None:
    assert accepted(lark, FULL)
    assert not accepted(lark, FULL.replace("rounds", "round"))
