"""Any tree, written and parsed, is the same tree, whatever stands between the tokens."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from a2agen.grammar import tree
from a2agen.grammar.parse import parse
from a2agen.source import Source, Span
from tests.grammar.texts import FULL, parsed, plain
from tests.grammar.writer import tokens

NOWHERE = Span(1, 1, 1, 1)
WORDS = ["S", "H", "D", "W", "x_1", "block", "tile", "phase", "by", "in", "all", "symmetric", "flagged", "for", "per"]


def some(kind: type, *parts: st.SearchStrategy[Any], **named: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(kind, *parts, **named, span=st.just(NOWHERE))


def tuples(part: st.SearchStrategy[Any], low: int = 0, high: int = 1) -> st.SearchStrategy[Any]:
    return st.lists(part, min_size=low, max_size=high).map(tuple)


def word(*texts: str) -> st.SearchStrategy[Any]:
    return some(tree.Word, st.sampled_from(texts))


NAME = some(tree.Name, st.sampled_from(WORDS))
AXIS = some(tree.Name, st.sampled_from([*WORDS, "to", "from"]))
NUMBER = some(tree.Integer, st.integers(0, 2**63 - 1))
LAYOUT = some(tree.LayoutDecl, tuples(tuples(AXIS, 1, 2), 1, 3))
POWER = st.one_of(
    some(tree.Power, NUMBER, st.none()),
    some(tree.Power, NAME, st.none() | some(tree.Integer, st.integers(0, 63))),
)
PRODUCT = some(tree.Product, tuples(POWER, 1, 2))
PLAIN = {"damaged": st.just(False), "head": st.just(NOWHERE)}

EXCHANGE = some(
    tree.ExchangeDecl,
    NAME,
    tuples(some(tree.RanksDecl, NAME, NUMBER, NUMBER)),
    tuples(some(tree.DimDecl, NAME, NUMBER, NUMBER)),
    tuples(some(tree.WhereDecl, PRODUCT, PRODUCT)),
    tuples(some(tree.TensorDecl, word("in", "out"), NAME, NAME, LAYOUT, st.none() | word("strided"))),
    tuples(some(tree.CaseDecl, NAME, tuples(some(tree.Binding, NAME, NUMBER), 1, 2))),
    **PLAIN,
)
BUFFER = some(
    tree.BufferDecl,
    NAME,
    LAYOUT,
    tuples(word("symmetric", "local"), high=2),
    tuples(word("per block"), high=2),
    tuples(NUMBER, high=2),
    tuples(word("flagged"), high=2),
    tuples(some(tree.OverlayDecl, NAME), high=2),
    tuples(NUMBER, high=2),
)
ROLE = some(
    tree.RoleDecl,
    NAME,
    tuples(word("even", "odd", "all", "host"), 1, 2),
    tuples(word("one per peer"), high=2),
    tuples(NAME, high=2),
)
LINK = some(
    tree.LinkDecl,
    NAME,
    tuples(NUMBER, high=2),
    tuples(word("split"), high=2),
    tuples(NUMBER, high=2),
    tuples(word("each", "end"), high=2),
    tuples(word("next"), high=2),
)
READY = st.one_of(
    some(tree.ReadyDecl, word("none", "barrier", "flag"), st.none()),
    some(tree.ReadyDecl, word("notify"), word("tile", "block", "peer")),
    some(tree.ReadyDecl, word("signal"), word("block", "peer")),
)
FREE = st.one_of(
    some(tree.FreeDecl, word("none", "barrier"), st.none()), some(tree.FreeDecl, word("credit"), word("tile", "peer"))
)
PHASE = some(
    tree.PhaseDecl,
    NAME,
    NAME,
    tuples(some(tree.MoveDecl, NAME, NAME, st.none() | word("all", "others", "self"))),
    tuples(LINK),
    tuples(some(tree.TileDecl, tuples(some(tree.TileExtent, AXIS, NUMBER), 1, 2))),
    tuples(READY),
    tuples(FREE),
    tuples(some(tree.OrderDecl, word("staggered"))),
    **PLAIN,
)
SCHEDULE = some(
    tree.ScheduleDecl,
    NAME,
    NAME,
    tuples(some(tree.TargetDecl, NAME)),
    tuples(some(tree.EmitDecl, NAME)),
    tuples(some(tree.CoresDecl, NUMBER)),
    tuples(BUFFER),
    tuples(some(tree.PlaceDecl, NAME, word("symmetric"))),
    tuples(some(tree.BlockDecl, AXIS, NUMBER)),
    tuples(ROLE),
    tuples(PHASE, high=2),
    tuples(some(tree.RoundsDecl, word("reset", "epoch"))),
    **PLAIN,
)
FILE = st.one_of(
    some(tree.File, tuples(EXCHANGE, 1), st.just(()), st.just(()), st.just(False)),
    some(tree.File, st.just(()), tuples(SCHEDULE, 1), st.just(()), st.just(False)),
    some(tree.File, tuples(EXCHANGE, 1, 1), tuples(SCHEDULE, 1, 1), st.just(()), st.just(False)),
)


@settings(
    max_examples=40,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(FILE, st.integers(0, 2**32))
def test_written_and_parsed_is_the_same(file: tree.File, seed: int) -> None:
    choice = random.Random(seed)
    text = "".join(token + choice.choice([" ", "\n", "\t", "  # ] } in\n", "\r\n"]) for token in tokens(file))
    found, findings = parse(Source("spec.a2a", text))
    assert findings == ()
    assert plain(found) == plain(file)


def test_a_spec_written_and_parsed_is_the_same() -> None:
    file = parsed(FULL)
    assert plain(parsed(" ".join(tokens(file)))) == plain(file)
    assert plain(parsed(" ".join(tokens(file)).replace("13", "14"))) != plain(file)
