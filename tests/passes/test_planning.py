"""The text of `a2agen plan`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.passes.onchip import kernel_bytes
from a2agen.passes.planning import describe
from a2agen.source import Source
from tests.auto_spec import auto_spec
from tests.passes.lower import matrix

SPEC = Path(__file__).parents[2] / "specs" / "reverse_all2all.a2a"
TAILS = {"W": 3, "S": 13, "H": 2, "D": 24}


def schedule(name: str) -> Schedule:
    made = check(Source("specs/reverse_all2all.a2a", SPEC.read_text(encoding="utf-8"))).schedules
    return next(s for s in made if s.name == name)


PIPELINED = """\
reverse_all2all by mte_pipelined: target ascend910c, emit triton_dist, 48 cores, rounds reset
  A [(to S) H D] -> C [S (from H) D], bf16
  W in 2..8, S in 1..1024, H in 1..16, D in 1..7168, S * H * D <= 134217728
  for W = 3, S = 13, H = 2, D = 24

memory of a rank, axes as they lie, outer first
  A  in                 [to:W S H D]             2 * W * S * H * D bytes  = 3744
  C  out                [S from:W H D]           2 * S * W * H * D bytes  = 3744
  P  buffer, symmetric  [slot:2 S:8 from:W H D]  32 * W * H * D bytes     = 4608

signal words, 64 bytes apart: 2 * H * cdiv(D, 256) * W = 12 of them
  send_full  [slot:2 H D:cdiv(D, 256) from:W]  1 full, 0 empty: P from send, per tile\
  128 * H * cdiv(D, 256) * W bytes  = 768

on chip: tiles take @ of 196608 bytes of a core, as predicted

protocol, by phase and move: the row, and the next launch
  send  A -> P for all  ready notify per tile  free credit per tile  MAILBOX\
  safe in stream order, as a workspace belongs to one shape
  read  P -> C for all  nothing announced                                   \
  safe in stream order, whatever the shapes

each launch, on the host
  1. launch reverse_all2all_mte_pipelined on 48 cores

program
  with BLOCK_S = 8, TILE_S = 8, TILE_D = 256, tiles_d = cdiv(D, TILE_D), blocks_s = cdiv(S, BLOCK_S)
  even cores, role sender (lane of lanes, lanes = cdiv(cores, 2))
    for blk below blocks_s
      slot = blk % 2
      s0 = blk * BLOCK_S
      for task from lane below H * tiles_d * W by lanes: send: A -> P
        to = task % W
        d_tile = task // W % tiles_d
        h = task // W // tiles_d
        d0 = d_tile * TILE_D
        wait send_full[slot, h, d_tile, rank] at `to` until 0 (the reader has emptied it)
        copy A[to, s0, h, d0] to P[slot, 0, rank, h, d0] at `to`: S by TILE_S, D by TILE_D
        fence: the stores so far come first
        notify `to`: set send_full[slot, h, d_tile, rank] to 1 (it is there)
  odd cores, role reader (lane of lanes, lanes = cores // 2)
    for blk below blocks_s
      slot = blk % 2
      s0 = blk * BLOCK_S
      for task from lane below H * tiles_d * W by lanes: read: P -> C
        src = task % W
        d_tile = task // W % tiles_d
        h = task // W // tiles_d
        d0 = d_tile * TILE_D
        wait send_full[slot, h, d_tile, src] until 1 (the writer has filled it)
        copy P[slot, 0, src, h, d0] to C[s0, src, h, d0]: S by TILE_S, D by TILE_D
        fence: the stores so far come first
        notify `rank`: set send_full[slot, h, d_tile, src] to 0 (the writer may fill it again)
"""


def test_a_whole_plan():
    found = schedule("mte_pipelined")
    assert describe(found, TAILS) == PIPELINED.replace("@", str(kernel_bytes(found)))


def test_without_values_sizes_are_formulas_alone():
    text = describe(schedule("mte_pipelined"), None)
    assert "  for W" not in text
    assert "P  buffer, symmetric  [slot:2 S:8 from:W H D]  32 * W * H * D bytes\n" in text
    assert "signal words, 64 bytes apart: 2 * H * cdiv(D, 256) * W of them\n" in text


def test_an_overlay_has_the_bytes_of_its_host():
    text = describe(schedule("udma_notify_staged"), TAILS)
    assert "  L  overlay of P[self]                                 [slot:2 S:8 H D]  in P\n" in text
    assert "those with lane < W - 1)\n" in text
    assert "role filler (lane of lanes, lanes = cdiv(cores, 2); those with lane >= W - 1)\n" in text


def test_kernels_on_both_sides_of_copies_have_epochs_of_their_own():
    text = describe(schedule("copy_engine"), TAILS)
    assert re.findall(r"^  (\w*epochs) .* cores \* 128 bytes += 1024$", text, re.MULTILINE) == [
        "entry_epochs",
        "exit_epochs",
    ]


def test_what_the_host_does_in_order():
    text = describe(schedule("udma_notify"), None)
    assert (
        """\
each launch, on the host
  1. clear exchange_ready on the stream
  2. wait until the stream has done all so far
  3. wait until the host of every rank has come here
  4. launch reverse_all2all_udma_notify on 64 cores
"""
        in text
    )
    assert "HOST  safe by the launcher's host barrier, not without it\n" in text


def test_a_launch_by_numbers():
    text = describe(schedule("direct"), None)
    assert "on chip: the compiler places tiles in registers\n" in text
    assert "  every core first\n    epoch = the number of this launch, from the core's own word\n" in text
    assert "      notify `to`: set entered[rank] to epoch (this rank has entered the launch)\n" in text
    assert "      wait entered[other] until epoch (`other` has entered the launch)\n" in text
    assert "add 1 to send_ready[rank] (it is there)\n" in text
    assert text.endswith("    store epoch in the core's own word, for the next launch\n")


def test_of_what_has_no_lowering_the_known_part_is_told():
    text = SPEC.read_text(encoding="utf-8").replace("ascend950", "h200").replace("link  mte", "link  ldst")
    text = text.replace("link  udma", "link  ce").replace("even, one per peer", "host")
    found = next(s for s in check(Source("a.a2a", text)).schedules if s.name == "udma_notify")
    told = describe(found, TAILS)
    slabs = "slabs at multiples of 16 bytes  [from:W S H D]  16 * W * cdiv(S * H * D, 8) bytes  = 3744"
    assert f"  P  buffer, symmetric, {slabs}\n" in told
    assert "  sender  the host   exchange\n" in told
    role, move = found.phases[0].role.span.line, found.phases[0].moves[0].span.line
    assert told.endswith(
        "these are checked, but not lowered\n"
        f"  line {move}: a move of the host from A to P\n  line {role}: a host role beside roles of cores\n"
    )
    assert "\nprogram\n" not in told


@pytest.mark.parametrize("name", sorted(matrix.sound())[::5])
def test_every_operation_of_every_protocol_has_words(name):
    text = describe(matrix.sound()[name], {"W": 3, "S": 7, "H": 2, "D": 5})
    assert re.search(r"\nprogram( of swap_one_(entry|exit))?\n", text)
    assert "Sym(" not in text
    assert "None" not in text


@pytest.mark.parametrize(
    ("result", "sizes", "defined"),
    [
        ("[(from S) H D]", "run by TILE_RUN", "run = S * H * D"),
        ("[S (from H) D]", "S by TILE_S, run by TILE_RUN", "run = H * D"),
    ],
)
def test_a_tile_of_axes_that_lie_together_runs_over_their_product(result, sizes, defined):
    schedules = check(Source("a.a2a", auto_spec(result=result))).schedules
    told = describe(next(s for s in schedules if s.name == "chosen_ldst"), None).splitlines()
    moved = [line for line in told if re.match(" *(load A|store what)", line)]
    assert len(moved) == 2
    assert all(line.endswith(f": {sizes}") for line in moved)
    assert any(re.search(rf"\b{re.escape(defined)}(,|$)", line) for line in told)
