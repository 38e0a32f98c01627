"""Every statement of the language and what the tree says of it."""

from __future__ import annotations

import pytest

from tests.grammar.texts import FULL, exchange_of, parsed, phase_of, plain, schedule_of


def test_a_file_keeps_exchanges_and_schedules_in_order() -> None:
    file = parsed("schedule b for x { } exchange x { } schedule a for x { } exchange y { }")
    assert [e.name.text for e in file.exchanges] == ["x", "y"]
    assert [(s.name.text, s.exchange.text) for s in file.schedules] == [("b", "x"), ("a", "x")]


def test_statements_of_all_kinds_in_one_file() -> None:
    file = parsed(FULL)
    (exchange,) = file.exchanges
    (schedule,) = file.schedules
    assert [len(x) for x in (exchange.ranks, exchange.dims, exchange.wheres, exchange.tensors, exchange.cases)] == [
        1,
        2,
        1,
        2,
        1,
    ]
    assert [r.name.text for r in schedule.roles] == ["sender", "filler", "reader", "copier"]
    assert [(p.name.text, p.role.text) for p in schedule.phases] == [("exchange", "sender"), ("loopback", "filler")]


def test_extents() -> None:
    exchange = exchange_of("ranks W in 2..8", "dim S in 1 .. 1024", "dim T in 007..9223372036854775807")
    assert plain(exchange.ranks) == (("RanksDecl", "W", 2, 8),)
    assert plain(exchange.dims) == (("DimDecl", "S", 1, 1024), ("DimDecl", "T", 7, 2**63 - 1))


def test_bounds_on_products() -> None:
    where = exchange_of("where S * H**2 * 3 <= 2**27 * W").wheres
    left = ("Product", (("Power", "S", None), ("Power", "H", 2), ("Power", 3, None)))
    right = ("Product", (("Power", 2, 27), ("Power", "W", None)))
    assert plain(where) == (("WhereDecl", left, right),)


def test_tensors() -> None:
    exchange = exchange_of("in A : bf16 [(to S) H D] strided", "out C : f32 [S (from H D)]", "in B : f16 [(to)]")
    assert plain(exchange.tensors) == (
        ("TensorDecl", "in", "A", "bf16", ("LayoutDecl", (("to", "S"), ("H",), ("D",))), "strided"),
        ("TensorDecl", "out", "C", "f32", ("LayoutDecl", (("S",), ("from", "H", "D"))), None),
        ("TensorDecl", "in", "B", "f16", ("LayoutDecl", (("to",),)), None),
    )


def test_cases() -> None:
    exchange = exchange_of("case tails { W = 3, S = 13 }", "case one { W = 2 }")
    assert plain(exchange.cases) == (
        ("CaseDecl", "tails", (("Binding", "W", 3), ("Binding", "S", 13))),
        ("CaseDecl", "one", (("Binding", "W", 2),)),
    )


def test_machine_and_cores() -> None:
    schedule = schedule_of("target h200", "emit triton_dist", "cores 48")
    assert plain(schedule.targets) == (("TargetDecl", "h200"),)
    assert plain(schedule.emits) == (("EmitDecl", "triton_dist"),)
    assert plain(schedule.cores) == (("CoresDecl", 48),)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ((), (), (), (), (), ())),
        ("symmetric", (("symmetric",), (), (), (), (), ())),
        ("local", (("local",), (), (), (), (), ())),
        ("per block slots 2", ((), ("per block",), (2,), (), (), ())),
        ("slots 2 per block symmetric", (("symmetric",), ("per block",), (2,), (), (), ())),
        ("flagged align 512", ((), (), (), ("flagged",), (), (512,))),
        ("overlay P[self]", ((), (), (), (), (("OverlayDecl", "P"),), ())),
        ("symmetric local slots 1 slots 2", (("symmetric", "local"), (), (1, 2), (), (), ())),
    ],
)
def test_buffers(options: str, expected: tuple[object, ...]) -> None:
    (buffer,) = plain(schedule_of(f"buffer L : [from (S H)] {options}").buffers)
    assert buffer == ("BufferDecl", "L", ("LayoutDecl", (("from",), ("S", "H"))), *expected)


def test_places_and_blocks() -> None:
    schedule = schedule_of("place C symmetric", "block S by 8")
    assert plain(schedule.places) == (("PlaceDecl", "C", "symmetric"),)
    assert plain(schedule.blocks) == (("BlockDecl", "S", 8),)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("even", (("even",), (), ())),
        ("odd", (("odd",), (), ())),
        ("all", (("all",), (), ())),
        ("host", (("host",), (), ())),
        ("even, one per peer", (("even",), ("one per peer",), ())),
        ("rest of sender, odd", (("odd",), (), ("sender",))),
        ("one per peer, all, rest of a, rest of b", (("all",), ("one per peer",), ("a", "b"))),
    ],
)
def test_roles(parts: str, expected: tuple[object, ...]) -> None:
    assert plain(schedule_of(f"role r : {parts}").roles) == (("RoleDecl", "r", *expected),)


@pytest.mark.parametrize("mode", ["reset", "epoch"])
def test_rounds(mode: str) -> None:
    assert plain(schedule_of(f"rounds {mode}").rounds) == (("RoundsDecl", mode),)


@pytest.mark.parametrize(
    ("suffix", "scope"), [("", None), (" for all", "all"), (" for others", "others"), (" for self", "self")]
)
def test_moves(suffix: str, scope: str | None) -> None:
    assert plain(phase_of(f"move A -> P{suffix}").moves) == (("MoveDecl", "A", "P", scope),)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ((), (), (), (), ())),
        ("(qps 33)", ((33,), (), (), (), ())),
        (" (qps 2, split)", ((2,), ("split",), (), (), ())),
        ("(split qps 2)", ((2,), ("split",), (), (), ())),
        ("(submit batch 4, complete each)", ((), (), (4,), ("each",), ())),
        ("(complete end relay next)", ((), (), (), ("end",), ("next",))),
        ("(qps 1, qps 2)", ((1, 2), (), (), (), ())),
    ],
)
def test_links(options: str, expected: tuple[object, ...]) -> None:
    assert plain(phase_of(f"link udma{options}").links) == (("LinkDecl", "udma", *expected),)


def test_tiles() -> None:
    tiles = phase_of("tile S 8, D 256", "tile to 1").tiles
    assert plain(tiles) == (
        ("TileDecl", (("TileExtent", "S", 8), ("TileExtent", "D", 256))),
        ("TileDecl", (("TileExtent", "to", 1),)),
    )


@pytest.mark.parametrize(
    ("mode", "unit"),
    [
        ("none", None),
        ("barrier", None),
        ("flag", None),
        ("notify", "tile"),
        ("notify", "block"),
        ("notify", "peer"),
        ("signal", "block"),
        ("signal", "peer"),
    ],
)
def test_ready(mode: str, unit: str | None) -> None:
    statement = f"ready {mode}" + (f" per {unit}" if unit else "")
    assert plain(phase_of(statement).readies) == (("ReadyDecl", mode, unit),)


@pytest.mark.parametrize(("mode", "unit"), [("none", None), ("barrier", None), ("credit", "tile"), ("credit", "peer")])
def test_free(mode: str, unit: str | None) -> None:
    statement = f"free {mode}" + (f" per {unit}" if unit else "")
    assert plain(phase_of(statement).frees) == (("FreeDecl", mode, unit),)


def test_order() -> None:
    assert plain(phase_of("order staggered").orders) == (("OrderDecl", "staggered"),)


def test_repeated_statements_are_all_kept() -> None:
    phase = phase_of("link mte", "link udma", "tile S 1", "tile S 2", "move A -> B", "link ce")
    assert [link.name.text for link in phase.links] == ["mte", "udma", "ce"]
    assert len(phase.tiles) == 2


def test_statements_come_in_any_order() -> None:
    schedule = schedule_of("rounds reset", "phase p on r { free none ready none move A -> B }", "target x")
    assert plain(schedule.phases[0].moves) == (("MoveDecl", "A", "B", None),)
    assert plain(schedule.targets) == (("TargetDecl", "x"),)


def test_line_ends_blanks_and_comments_mean_nothing() -> None:
    one_line = "exchange e { dim S in 1..2 in A : f32 [ ( to S ) ] case c { S = 1 } }"
    spread = one_line.replace(" ", "\t # a remark\r\n ").replace("[", "\ufeff["[1:])
    assert plain(parsed(spread)) == plain(parsed(one_line))
    assert plain(parsed("\ufeff" + one_line)) == plain(parsed(one_line))
    assert plain(parsed("exchange e{dim S in 1..2 in A:f32[(to S)]case c{S=1}}")) == plain(parsed(one_line))
