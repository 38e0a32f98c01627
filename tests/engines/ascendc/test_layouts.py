"""Kernels in Ascend C for layouts, types and protocols that no shipped spec has: printed, and right."""

from __future__ import annotations

import pytest

from a2agen.engines.ascendc.run import simulate, sources_of
from a2agen.passes.check import check
from a2agen.source import Source

DIMS = "dim S in 1..40\n  dim H in 1..4\n  dim D in 1..20"
STAGED = """block S by 4
  buffer P : {buffer} symmetric{slots}
  role sender : even
  role reader : odd
  phase send on sender {{
    move A -> P
    link mte
    tile {tile}
    ready {ready}
    free {free}
  }}
  phase read on reader {{
    move P -> C
    link mte
    tile {tile}
  }}
  rounds {rounds}"""
OVERLAY = """block S by 4
  buffer P : [from S H D] symmetric
  buffer L : [S H D] per block slots 2 overlay P[self]
  role sender : even, one per peer
  role filler : even, rest of sender
  role reader : odd
  phase exchange on sender {
    move A -> P for others
    link udma (qps 3)
    ready signal per block
  }
  phase loopback on filler {
    move A -> L for self
    link mte
    tile S 4, D 8
    ready notify per tile
    free credit per tile
  }
  phase gather on reader {
    move P -> C for others
    move L -> C for self
    link mte
    tile S 4, D 8
  }
  rounds reset"""
FLAGS = """buffer K : [to S H D] local flagged
  buffer P : [from S H D] symmetric flagged
  role sender : even, one per peer
  role packer : even, rest of sender
  role reader : odd
  phase pack on packer {
    move A -> K for others
    link mte
    tile S 4, H 2, D 240
    ready notify per peer
  }
  phase exchange on sender {
    move K -> P for others
    link udma
    ready flag
    free credit per peer
  }
  phase gather on reader {
    move P -> C for others
    link mte
    tile S 4, H 2, D 120
  }
  phase own on reader {
    move A -> C for self
    link mte
    tile S 4, D 64
  }
  rounds epoch"""


def staged(tile="S 2, D 4", buffer="[from S H D]", slots="", ready="notify per block", free="none", rounds="epoch"):
    return STAGED.format(tile=tile, buffer=buffer, slots=slots, ready=ready, free=free, rounds=rounds)


def spec(schedule, source="bf16 [(to S) H D]", result="bf16 [S (from H) D]", dims=DIMS):
    return f"""exchange swap {{
  ranks W in 2..5
  {dims}
  in A : {source}
  out C : {result}
}}
schedule one for swap {{
  target ascend950
  emit ascendc
  {schedule}
}}
"""


SPECS = {
    "tiles behind the end of the last block": spec(staged()),
    "tiles of three axes": spec(staged(tile="S 4, H 3, D 7")),
    "slots": spec(
        staged(
            slots=" per block slots 2",
            buffer="[S (from H) D]",
            ready="notify per tile",
            free="credit per tile",
            rounds="reset",
        )
    ),
    "slots behind barriers": spec(
        "cores 48\n  " + staged(slots=" per block slots 2", ready="barrier", free="barrier", rounds="epoch")
    ),
    "a result with another axis innermost": spec(staged(tile="S 2, H 2, D 4"), result="bf16 [D (from H) S]"),
    "a strided input": spec(staged(), source="f32 [(to S) H D] strided", result="f32 [S (from H) D]"),
    "bytes": spec(staged(), source="i8 [(to S) H D]", result="i8 [S (from H) D]"),
    "words of 64 bits": spec(staged(), source="i64 [(to S) H D]", result="i64 [S (from H) D]"),
    "five axes": spec(
        staged(tile="S 2, X 2, D 4", buffer="[from S H D X Y]"),
        source="bf16 [(to S) H D X Y]",
        result="bf16 [S X (from H) Y D]",
        dims=f"{DIMS}\n  dim X in 1..3\n  dim Y in 1..3",
    ),
    "an overlay beside three queues": spec(OVERLAY),
    "flags of floats, freed by credit": spec(
        FLAGS,
        source="f32 [(to S) H D]",
        result="f32 [S (from H) D]",
        dims="dim S in 1..20\n  dim H in 1..3\n  dim D in 1..700",
    ),
}


@pytest.mark.parametrize("name", SPECS)
def test_it_is_right(name: str) -> None:
    checked = check(Source("swap.a2a", SPECS[name]))
    assert [f.message for f in checked.findings if f.severity.value == "error"] == []
    outcome = simulate(checked, checked.schedules[0], None, interleavings=6)
    assert (outcome.error, outcome.findings, outcome.verified) == (None, (), True)


def test_a_wrong_gap_between_rows_is_not(tmp_path) -> None:
    checked = check(Source("swap.a2a", SPECS["tiles of three axes"]))
    text = sources_of(checked, checked.schedules[0]).kernel
    edited = tmp_path / "edited.cpp"
    edited.write_text(text.replace("from_step - length", "from_step - length + 1"), encoding="utf-8")
    assert edited.read_text(encoding="utf-8") != text
    assert not simulate(checked, checked.schedules[0], None, kernel=edited, interleavings=6).verified
