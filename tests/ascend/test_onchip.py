"""The prediction of on-chip memory, and what `lint` refuses, against the compiler's own plan."""

from __future__ import annotations

import re

import pytest

from a2agen.emit.triton_dist.backend import kernel_text
from a2agen.engines.ascend_ir.build import build, forms, job
from a2agen.engines.ascend_ir.compilers import StandIn
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.source import Source
from tests.passes.lower import matrix

EXCHANGE = """exchange e {{
  ranks W in 2..8
  dim   S in 1..64
  dim   H in 1..16
  dim   D in 1..65536
  in  A : {dtype} [(to S) H D]
  out C : {dtype} [{out}]
}}
"""
TWO_LOOPS = """schedule s for e {{
  target {target}
  emit   triton_dist
  buffer P : {buffer} symmetric
  role sender : even
  role reader : odd
  phase send on sender {{
    move  A -> P
    link  mte
    tile  {tile}
    ready notify per tile
  }}
  phase read on reader {{
    move  P -> C
    link  mte
    tile  {tile}
  }}
  rounds reset
}}
"""
FOUR_LOOPS = """schedule s for e {{
  target {target}
  emit   triton_dist
  buffer P : [from S H D] symmetric
  buffer Q : [from S H D]
  role sender : even
  role reader : odd
  phase send on sender {{
    move  A -> P
    link  mte
    tile  {tile[0]}
    ready notify per tile
  }}
  phase pass on reader {{
    move  P -> Q for others
    move  P -> Q for self
    link  mte
    tile  {tile[1]}
    ready notify per tile
  }}
  phase read on reader {{
    move  Q -> C
    link  mte
    tile  {tile[2]}
  }}
  rounds reset
}}
"""
ROWS, TURNED = "S (from H) D", "D (from H) S"
TILES = (
    "D 1",
    "D 8",
    "D 64",
    "S 8, D 8",
    "S 8, D 16",
    "S 8, D 256",
    "S 16, D 256",
    "S 4, D 1024",
    "S 2, H 2, D 64",
    "S 4, H 8, D 32",
    "H 4, D 256",
    "S 8, H 4",
    "S 16, H 16, D 8",
    "S 8",
    "S 64",
    "D 4096",
    "D 16384",
    "D 32768",
    "D 65536",
    "S 8, D 1024",
    "S 8, D 2048",
    "S 8, D 4096",
    "S 16, D 4096",
    "S 8, D 8192",
    "S 16, D 8192",
    "S 32, D 2048",
    "S 64, D 8",
    "S 64, D 1024",
    "S 64, H 16",
    "S 64, H 16, D 64",
    "S 32, H 16, D 4",
)
SEVERAL = (
    ("D 8192", "D 8192", "D 8192"),
    ("D 16384", "D 16384", "D 16384"),
    ("D 32768", "D 16384", "D 16384"),
    ("D 16384", "D 32768", "D 32768"),
    ("D 16384", "D 16384", "D 32768"),
    ("D 32768", "D 8192", "D 4096"),
    ("D 65536", "D 4096", "D 16384"),
    ("D 65536", "D 8192", "D 65536"),
)
SHAPES = (
    *((EXCHANGE + TWO_LOOPS, tile, "bf16", "[S (from H) D]", ROWS) for tile in TILES),
    *((EXCHANGE + FOUR_LOOPS, tiles, "bf16", "", ROWS) for tiles in SEVERAL),
    *((EXCHANGE + TWO_LOOPS, "S 8, D 16", dtype, "[from S H D]", ROWS) for dtype in ("i8", "f32", "i64")),
    *(
        (EXCHANGE + TWO_LOOPS, tile, "bf16", buffer, TURNED)
        for buffer in ("[from S H D]", "[D from H S]")
        for tile in ("S 8, D 64", "S 16, D 16", "S 64, D 4", "S 8", "D 8")
    ),
)


def form_of(schedule: Schedule) -> StandIn:
    """The form with the most real operations that the compilers take."""
    return forms(schedule.target.chips[0])[0]


def several_announcements():
    """A schedule whose reader waits for two announcements before each of its tiles."""
    text = EXCHANGE + TWO_LOOPS.replace("{tile}", "D 64", 1).replace("{tile}", "D 128", 1)
    shape = {"dtype": "bf16", "out": ROWS, "target": "ascend910c", "buffer": "[from S H D]"}
    source = Source("e.a2a", text.format(**shape))
    (schedule,) = check(source).schedules
    return schedule, source


@pytest.mark.parametrize("form", ["dist", "stock"])
def test_a_reader_of_several_announcements_adds_their_tokens(form, compilers):
    schedule, source = several_announcements()
    assert not build(schedule, source, "Ascend910_9382", form, compilers).faults


def test_a_pointer_that_turns_of_a_loop_hand_on_is_refused_with_real_operations(compilers):
    """Why tokens are added up. What docs/ascend.md says of it holds."""
    schedule, source = several_announcements()
    plan = lower(schedule)
    text = kernel_text(plan, source)
    wait = re.compile(r"( +)arrived \+= (dl\.wait\((?:.|\n)*?\n\1\))")
    handed_on = wait.sub(r"\1arrived = \2\n\1P = dl.consume_token(P, arrived)", text)
    assert handed_on != text
    for form, stage in (("dist", "ttadapter"), ("stock", None)):
        assert compilers.compile(job(plan, handed_on, "Ascend910_9382", form)).stage == stage


def test_there_are_enough_shapes():
    assert len(TILES) >= 30


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape[2]} {shape[1]} {shape[3]} {shape[4]}")
def test_planned_as_predicted_and_refused_as_linted(shape, compilers):
    """The slack of a tenth is not needed: what fits is predicted to the byte, and what does not is refused by both."""
    text, tile, dtype, buffer, out = shape
    # 910B and 910C have the same memory, and take turns.
    for target in (("ascend910b", "ascend910c")[SHAPES.index(shape) % 2], "ascend950"):
        source = Source("e.a2a", text.format(dtype=dtype, out=out, target=target, buffer=buffer, tile=tile))
        checked = check(source)
        codes = {f.code for f in checked.findings if f.severity.value == "error"}
        assert codes <= {"A506"}
        schedule = checked.schedules[0]
        (chip,) = schedule.target.chips
        built = build(schedule, source, chip, form_of(schedule), compilers)
        assert (built.answer.error is not None) == bool(codes), built.answer.error
        if codes:
            assert built.answer.stage == "behind ttadapter"
        elif (target, tile) == ("ascend950", "D 1"):
            # A5 takes single elements another way, in a few bytes less.
            assert built.ub_bytes is not None
            assert built.ub_bytes <= built.predicted_bytes <= built.ub_bytes + 128
        else:
            assert built.ub_bytes == built.predicted_bytes
            assert not built.faults


@pytest.mark.parametrize(
    "name", [name for name, schedule in matrix.sound().items() if schedule.target.vendor == "ascend"]
)
def test_every_way_to_announce_and_free(name, compilers):
    schedule = matrix.sound()[name]
    (chip,) = schedule.target.chips
    built = build(schedule, Source("swap.a2a", ""), chip, form_of(schedule), compilers)
    assert not built.faults
    assert built.ub_bytes == built.predicted_bytes
