"""Names are bound to what they name, spans point at the words, and a fault silences what depends on it."""

from __future__ import annotations

import pytest

from a2agen.ir.model import Schedule
from a2agen.source import Span
from tests.passes.spec_texts import EXCHANGE, SCHEDULE, codes, made

TEXT = EXCHANGE + SCHEDULE
DIRECT = """schedule d for e {
  target h200
  emit   triton_dist
  cores  64
  place  C symmetric
  role   mover : all
  phase send on mover {
    move  A -> C
    link  ldst
    tile  D 64
    order staggered
    ready notify per peer
    free  credit per peer
  }
  rounds epoch
}
"""


def words(text: str, span: Span) -> str:
    line = text.splitlines()[span.line - 1]
    assert span.line == span.end_line
    return line[span.column - 1 : span.end_column - 1]


def bound(text: str) -> Schedule:
    checked = made(text)
    assert codes(checked) == []
    return checked.schedules[0]


def test_exchange() -> None:
    exchange = bound(TEXT).exchange
    assert (exchange.name, exchange.ranks, exchange.dims) == ("e", "W", ("S", "D"))
    assert [(e.name, e.lo, e.hi) for e in exchange.bounds.extents] == [("W", 2, 8), ("S", 1, 64), ("D", 1, 256)]
    assert [str(w) for w in exchange.bounds.where] == ["S * D <= 8192"]
    assert exchange.source.layout.factors == (("to", "S"), ("D",))
    assert exchange.result.layout.factors == (("S",), ("from", "D"))
    assert exchange.cases[0].values == {"W": 2, "S": 5, "D": 24}


def test_schedule() -> None:
    schedule = bound(TEXT)
    assert (schedule.target.name, schedule.emit, schedule.rounds) == ("ascend910c", "triton_dist", "reset")
    assert schedule.cores is None
    assert schedule.block is not None
    assert (schedule.block.axis, schedule.block.size) == ("S", 8)
    [buffer] = schedule.buffers
    assert (buffer.dtype, buffer.symmetric, buffer.side) == ("bf16", True, "receiver")
    assert buffer.slots is not None
    assert buffer.slots.count == 2
    send, read = schedule.phases
    assert (send.role, read.role) == schedule.roles
    assert send.moves[0].target == buffer == read.moves[0].source
    assert send.moves[0].who == "all"
    assert (str(send.ready), str(send.free), str(send.tile)) == ("notify per tile", "credit per tile", "S 8, D 64")
    assert not schedule.poisoned


def test_place_holds_for_its_schedule_alone() -> None:
    pipelined, direct = made(TEXT + DIRECT).schedules
    assert not pipelined.result.symmetric
    assert direct.result.symmetric
    assert direct.phases[0].moves[0].target.symmetric
    assert not direct.source.symmetric
    assert direct.phases[0].staggered
    assert direct.cores == 64


def test_overlay_is_what_its_host_is_also_when_declared_before_it() -> None:
    overlay = "buffer L : [S D] overlay P[self]\n  buffer P"
    [schedule] = made(TEXT, ("buffer P", overlay)).schedules
    by_name = {b.name: b for b in schedule.buffers}
    assert by_name["L"].overlay == "P"
    assert by_name["L"].symmetric
    [schedule] = made(TEXT, ("buffer P", overlay), ("symmetric per", "per")).schedules
    assert not any(b.symmetric for b in schedule.buffers)


@pytest.mark.parametrize(
    ("ready", "options", "complete"),
    [
        ("notify per peer", "", "each"),
        ("signal per peer", "", "end"),
        ("flag", "", "end"),
        ("notify per peer", "(complete end)", "end"),
        ("signal per peer", "(complete each)", "each"),
    ],
)
def test_completion_depends_on_the_announcement(ready: str, options: str, complete: str) -> None:
    changes = (("ready notify per tile", f"ready {ready}"), ("link  mte", f"link  udma{options}"))
    [schedule] = made(TEXT, *changes).schedules
    assert schedule.phases[0].link.complete == complete


def test_link_options() -> None:
    [schedule] = made(TEXT, ("link  mte", "link  udma(qps 4, split, submit batch 16, relay next)")).schedules
    link = schedule.phases[0].link
    assert (link.queues, link.split, link.batch, link.relay) == (4, True, 16, True)
    [schedule] = made(TEXT, ("link  mte", "link  udma")).schedules
    link = schedule.phases[0].link
    assert (link.queues, link.split, link.batch, link.relay) == (1, False, None, False)


def test_role_parts() -> None:
    roles = "role sender : even, one per peer\n  role filler : even, rest of sender"
    [schedule] = made(TEXT, ("role sender : even", roles)).schedules
    sender, filler, _ = schedule.roles
    assert (sender.cores, sender.per_peer, sender.rest_of) == ("even", True, None)
    assert (filler.cores, filler.per_peer, filler.rest_of) == ("even", False, "sender")


def test_spans_point_at_the_words() -> None:
    schedule = bound(TEXT)
    send, read = schedule.phases
    buffer = schedule.buffers[0]
    assert buffer.slots is not None
    assert send.tile is not None
    assert schedule.block is not None
    found = {
        schedule.span: "schedule s for e",
        schedule.target_span: "target ascend910c",
        schedule.emit_span: "emit   triton_dist",
        schedule.rounds_span: "rounds reset",
        schedule.block.span: "block  S by 8",
        buffer.span: "buffer P : [S (from D)] symmetric per block slots 2",
        buffer.layout_span: "[S (from D)]",
        buffer.slots.span: "2",
        schedule.roles[0].span: "role sender : even",
        send.span: "phase send on sender",
        send.moves[0].span: "move  A -> P",
        send.link.span: "link  mte",
        send.tile.span: "tile  S 8, D 64",
        send.ready.span: "ready notify per tile",
        send.free.span: "free  credit per tile",
        read.ready.span: "phase read on reader",
        read.free.span: "phase read on reader",
        schedule.exchange.span: "exchange e",
        schedule.source.layout_span: "[(to S) D]",
        schedule.exchange.bounds.where[0].span: "where S * D <= 2**13",
        schedule.cases[0].span: "case small { W = 2, S = 5, D = 24 }",
    }
    assert {words(TEXT, span): wanted for span, wanted in found.items()} == {w: w for w in found.values()}


def test_free_that_is_left_out_is_blamed_on_ready() -> None:
    [schedule] = made(TEXT, ("    free  credit per tile\n", "")).schedules
    assert schedule.phases[0].free.kind == "none"
    assert schedule.phases[0].free.span == schedule.phases[0].ready.span


def test_a_fault_poisons_its_phase_and_the_schedule_but_not_other_phases() -> None:
    checked = made(TEXT, ("tile  S 8, D 64", "tile  S 8, Dd 64"))
    assert codes(checked) == ["A103"]
    [schedule] = checked.schedules
    assert schedule.poisoned
    assert [p.poisoned for p in schedule.phases] == [True, False]
    assert schedule.phases[0].tile is not None
    assert schedule.phases[0].tile.sizes == (("S", 8),)
    assert not checked.sound(schedule)


@pytest.mark.parametrize(
    "change",
    [
        ("buffer P : [S (from D)]", "buffer P : [S (from T)]"),  # moves name P twice
        ("role sender : even", "role sender : one per peer"),  # a phase is on sender
        ("block  S by 8", "block  T by 8"),  # P is per block
        ("in  A : bf16", "in  A : bf17"),  # a move names A
        ("dim   D in 1..256", "dim   D in 0..256"),  # layouts and tiles name D
        ("target ascend910c", "target ascend"),
        ("  in  A : bf16 [(to S) D]\n", ""),
        ("out C : bf16 [S (from D)]", "out C : bf16 [S (to D)]"),
        ("  rounds reset\n", ""),
    ],
)
def test_one_fault_is_one_finding(change: tuple[str, str]) -> None:
    checked = made(TEXT, change)
    assert len(codes(checked)) == 1, checked.findings


def test_a_name_that_nothing_gives_is_one_finding_with_all_lines() -> None:
    checked = made(TEXT, ("  dim   D in 1..256\n", ""))
    assert codes(checked) == ["A103"]
    assert checked.findings[0].message == "there is no extent D; it is used on lines 5, 6, 7, 13, 19, 26 too"


def test_a_misspelt_name_is_a_finding_wherever_it_stands() -> None:
    checked = made(TEXT, ("S 8, D 64", "S 8, Dd 64"), ("S 8, D 64", "S 8, Dd 64"))
    assert codes(checked) == ["A103", "A103"]
    helps = [f.help for f in checked.findings if f.code == "A103"]
    assert helps == ["did you mean `D`? The axes are S, D"] * 2


def test_a_rank_of_another_name_in_a_layout_is_told_what_ranks_are_called() -> None:
    checked = made(TEXT, ("[(to S) D]", "[(dst S) D]"))
    (finding,) = (f for f in checked.findings if f.code == "A103")
    assert finding.help == "the axes are S, D, to"


def test_where_a_tensor_lies_is_not_judged_after_a_misspelt_place() -> None:
    assert codes(made(EXCHANGE + DIRECT, ("place  C", "place  CC"))) == ["A103"]
    assert codes(made(EXCHANGE + DIRECT, ("  place  C symmetric\n", ""))) != []


@pytest.mark.parametrize(
    "change",
    [
        ("dim   D in 1..256", "dim   D of 1..256"),
        ("in  A : bf16", "in  A as bf16"),
        ("buffer P : [S", "buffer P as [S"),
        ("role sender : even", "role sender is even"),
        ("phase send on sender", "phase send by sender"),
        ("exchange e {", "exchange : e {"),
    ],
)
def test_names_of_statements_that_cannot_be_read_are_not_missed(change: tuple[str, str]) -> None:
    assert set(codes(made(TEXT, change))) == {"A101"}


def test_faults_of_several_families_come_in_one_run() -> None:
    checked = made(TEXT, ("role reader : odd", "role reader : all"), ("W = 2", "W = 9"), ("tile  S 8", "tile  T 8"))
    assert {code[1] for code in codes(checked)} == {"1", "2"}
    checked = made(TEXT, ("role reader : odd", "role reader : all"), ("tile  S 8", "tile  T 8"))
    assert {code[1] for code in codes(checked)} == {"1", "4"}


def test_without_rounds_the_other_families_are_still_judged() -> None:
    checked = made(TEXT, ("  rounds reset\n", ""), ("role reader : odd", "role reader : all"))
    assert codes(checked) == ["A106", "A402"]
