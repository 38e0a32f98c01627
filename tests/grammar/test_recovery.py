"""After a syntax error: what is reported once, what stays in the tree, and what is marked damaged."""

from __future__ import annotations

import pytest

from a2agen.findings import Finding
from a2agen.grammar import tree
from a2agen.grammar.parse import parse
from a2agen.source import Source
from tests.grammar.texts import FULL, parsed, plain


def read(text: str) -> tuple[tree.File, tuple[Finding, ...]]:
    return parse(Source("spec.a2a", text))


def places(found: tuple[Finding, ...]) -> list[tuple[int, int]]:
    return [(f.span.line, f.span.column) for f in found]


def replaced(*changes: tuple[str, str]) -> str:
    text = FULL
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def test_a_statement_with_an_error_is_missing_and_its_block_damaged() -> None:
    file, found = read(replaced(("    tile  S 8, H 2", "    tile  S eight")))
    assert places(found) == [(36, 13)]
    (schedule,) = file.schedules
    exchange_phase, loopback = schedule.phases
    assert loopback.damaged
    assert loopback.tiles == ()
    assert plain(loopback.frees) == (("FreeDecl", "credit", "tile"),)
    assert not exchange_phase.damaged
    assert not schedule.damaged
    assert not file.damaged


def test_every_error_of_a_file_is_reported() -> None:
    file, found = read(
        replaced(
            ("dim   S in 1..1024", "dim   S 1..1024"),
            ("case odd { W = 3,", "case odd { W : 3,"),
            ("cores  40", "cores  many"),
            ("for others", "to others"),
            ("per tile\n    order", "for tile\n    order"),
            ("rounds epoch", "round epoch"),
        )
    )
    assert places(found) == [(4, 11), (11, 16), (17, 10), (29, 18), (38, 18), (41, 3)]
    assert [d.name.text for d in file.exchanges[0].dims] == ["H"]
    assert [p.damaged for p in file.schedules[0].phases] == [True, True]
    assert file.exchanges[0].damaged
    assert file.schedules[0].damaged


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(qps 2, submit batch 4, complete end)\n", "(qps\n", "expected a number, found `ready`"),
        ("    tile  S 8, H 2\n", "    tile  S 8,\n", "expected an axis, found `ready`"),
        ("[(to S) H] strided\n", "[(to S) H\n", "expected an axis, `(` or `]`, found `out`"),
        ("    move  A -> P for others\n", "    move  A ->\n", "expected the name of a tensor or buffer, found `link`"),
        ("<= 2**27 * W", "<=", "expected a number or the name of an extent, found `in`"),
    ],
)  # fmt: skip
def test_an_unfinished_statement_is_blamed_where_the_next_one_begins(old: str, new: str, message: str) -> None:
    _, found = read(replaced((old, new)))
    assert [f.message for f in found] == [message]


@pytest.mark.parametrize(
    ("old", "new", "message", "opened"),
    [
        ("block\n  }\n", "block\n", "phase `exchange` is not closed: expected `}` before `phase`", 28),
        ("staggered\n  }\n", "staggered\n", "phase `loopback` is not closed: expected `}` before `rounds`", 33),
        ("H = 2 }\n}\n", "H = 2 }\n", "exchange `turn` is not closed: expected `}` before `schedule`", 2),
        # The brace that is left closes the case.
        ("H = 2 }\n}\n", "H = 2\n}\n", "exchange `turn` is not closed: expected `}` before `schedule`", 2),
        ("epoch\n}\n", "epoch\n", "schedule `all_of_it` is not closed: expected `}` before the end of the file", 14),
    ],
)
def test_a_missing_brace_is_one_finding(old: str, new: str, message: str, opened: int) -> None:
    file, found = read(replaced((old, new)))
    assert [(f.message, f.help) for f in found] == [(message, f"it is opened at line {opened}")]
    assert plain(file.exchanges) == plain(parsed(FULL).exchanges)
    assert plain(file.schedules[0].phases) == plain(parsed(FULL).schedules[0].phases)
    assert file.schedules[0].damaged == ("end of the file" in message)


def test_a_missing_opening_brace_costs_nothing_else() -> None:
    file, found = read(replaced(("phase loopback on filler {", "phase loopback on filler")))
    assert [f.message for f in found] == ["expected `{`, found `move`"]
    assert plain(file) == plain(parsed(FULL))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("phase loopback on filler {", "phase loopback of filler {"),
        ("phase loopback on filler {", "phse loopback on filler {"),
        ("phase loopback on filler {", "phase on filler: {"),
    ],
)
def test_inside_a_block_with_a_wrong_head_errors_are_still_found(old: str, new: str) -> None:
    file, found = read(replaced((old, new), ("tile  S 8, H 2", "tile  S")))
    assert [f.span.line for f in found] == [33, 37]
    (schedule,) = file.schedules
    assert [p.name.text for p in schedule.phases] == ["exchange"]
    assert schedule.damaged
    assert plain(schedule.rounds) == (("RoundsDecl", "epoch"),)


def test_an_exchange_with_a_wrong_head_damages_the_file() -> None:
    file, found = read(replaced(("exchange turn {", "exchange turn : {")))
    assert places(found) == [(2, 15)]
    assert file.exchanges[0].name.text == "turn"
    file, found = read(replaced(("exchange turn {", "exchange 2turn {")))
    assert places(found) == [(2, 10)]
    assert file.exchanges == ()
    assert file.damaged
    assert not file.schedules[0].damaged


def test_a_block_that_is_closed_too_early_is_one_finding() -> None:
    file, found = read(replaced(("    link  mte\n", "    }\n    link  mte\n")))
    assert [f.message.rpartition(", ")[2] for f in found] == ["found `link`"]
    assert [f.help for f in found] == ["`link` is a statement of a phase"]
    assert plain(file.schedules[0].rounds) == (("RoundsDecl", "epoch"),)


def test_a_statement_of_another_block_is_one_finding() -> None:
    file, found = read(replaced(("    link  mte\n", "    block S by 8\n    link  mte\n")))
    assert [f.help for f in found] == ["`block` is a statement of a schedule"]
    assert [link.name.text for link in file.schedules[0].phases[1].links] == ["mte"]


def test_one_line_is_enough_to_go_on() -> None:
    file, found = read("exchange e { foo } exchange f { dim S in 1..2 dm } schedule s for f { rounds epoch }")
    assert places(found) == [(1, 14), (1, 47)]
    assert [e.name.text for e in file.exchanges] == ["e", "f"]
    assert not file.schedules[0].damaged


def test_text_after_a_block_belongs_to_what_is_around_it() -> None:
    file, found = read("exchange e { dim S in 1..2 } foo\nexchange f { }")
    assert places(found) == [(1, 30)]
    assert [(e.name.text, e.damaged) for e in file.exchanges] == [("e", False), ("f", False)]
    assert file.damaged


def test_a_word_at_the_start_of_a_line_may_still_be_a_name() -> None:
    text = "exchange e {\n  in A : f32 [\n  dim\n  where ]\n  case c {\n  case = 1,\n    dim = 2 }\n}\n"
    exchange = parsed(text).exchanges[0]
    assert exchange.tensors[0].layout.factors[0][0].text == "dim"
    _, found = read(text.replace("dim = 2", "dim 2"))
    assert [f.message for f in found] == ["expected `=`, found `2`"]
