"""Readers whose piece spans several announcements wait for all of them, however the pieces lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from a2agen.ir.plan import Copy, Loop, Op, Wait
from a2agen.passes.lower import lower
from tests.passes.lower.interpret import PlanError
from tests.passes.lower.matrix import checked
from tests.passes.lower.test_program import mapped, run_in_any_order

HEAD = """
exchange e {
  ranks W in 2..4
  dim S in 1..64
  dim H in 1..8
  dim D in 1..64
  in  A : bf16 [S (to H) D]
  out C : bf16 [(from S) H D]
}
"""
STAGED = """
schedule s for e {{
  target ascend910c
  emit   triton_dist
  {block}
  buffer P : [from S H D] symmetric
  role a : even
  role b : odd
  phase send on a {{
    move A -> P
    link mte
    tile {written}
    ready notify per tile
  }}
  phase read on b {{
    move P -> C
    link mte
    tile {read}
  }}
  rounds {rounds}
}}
"""
PACKED = """
schedule s for e {{
  target ascend950
  emit   triton_dist
  {block}
  buffer K : [to S H D]
  buffer P : [from S H D] symmetric
  role sender : even, one per peer
  role packer : even, rest of sender
  role reader : odd
  phase pack on packer {{
    move A -> K for others
    link mte
    tile S 2, D 4
    ready notify per {pack}
  }}
  phase exchange on sender {{
    move K -> P for others
    link udma
    ready notify per {exchange}
  }}
  phase gather on reader {{
    move P -> C for others
    move A -> C for self
    link mte
    tile S 4, D 8
  }}
  rounds {rounds}
}}
"""
BLOCKS = {"blocked": "block S by 4", "not blocked": ""}
SHAPES = ({"W": 3, "S": 9, "H": 3, "D": 13}, {"W": 2, "S": 1, "H": 1, "D": 1})


@pytest.mark.parametrize("rounds", ["reset", "epoch"])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("S 1, D 4", "S 4, D 16"),
        ("S 2, D 4", "S 4, D 4"),
        ("S 4, D 4", "S 2, H 2, D 8"),
        ("S 4, H 2, D 16", "D 4"),
    ],
)
def test_tiles_of_other_sizes(written: str, read: str, block: str, rounds: str) -> None:
    text = HEAD + STAGED.format(written=written, read=read, block=BLOCKS[block], rounds=rounds)
    (schedule,) = checked(text)
    for values in SHAPES:
        run_in_any_order(lower(schedule), values)


@pytest.mark.parametrize("rounds", ["reset", "epoch"])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("exchange", ["block", "peer"])
@pytest.mark.parametrize("pack", ["tile", "block", "peer"])
def test_puts_of_what_was_packed(pack: str, exchange: str, block: str, rounds: str) -> None:
    text = HEAD + PACKED.format(pack=pack, exchange=exchange, block=BLOCKS[block], rounds=rounds)
    schedules = checked(text)
    if (pack, exchange) == ("peer", "block") and block == "blocked":
        # The packers announce a slab behind their last block, which the sender awaits in its first.
        assert len(schedules) == 1
    if block == "not blocked" and "block" in (pack, exchange):
        assert schedules == ()
        return
    (schedule,) = schedules
    for values in SHAPES:
        run_in_any_order(lower(schedule), values)


def test_a_word_left_out_is_found() -> None:
    text = HEAD + STAGED.format(written="S 1, D 4", read="S 4, D 16", block=BLOCKS["blocked"], rounds="reset")
    (schedule,) = checked(text)

    def shorter(op: object) -> list[object]:
        waits = isinstance(op, Loop) and any(isinstance(inner, Wait) and inner.adds for inner in op.body)
        return [replace(op, first=op.first + 1)] if waits else [op]

    with pytest.raises(PlanError, match=r"never written|is .*, not"):
        run_in_any_order(mapped(lower(schedule), shorter), SHAPES[0])


def test_several_words_give_one_token_that_the_reading_carries() -> None:
    """No turn of a loop hands a pointer on: triton-ascend refuses that."""
    text = HEAD + STAGED.format(written="S 1, D 4", read="S 4, D 16", block=BLOCKS["blocked"], rounds="reset")
    (schedule,) = checked(text)
    kernel = lower(schedule).kernel
    ops = [op for cores in kernel.classes for part in cores.parts for op in every(part.body)]
    (loop,) = (op for op in ops if isinstance(op, Loop) and op.token)
    waits = [op for op in every(loop.body) if isinstance(op, Wait)]
    assert waits
    assert all(op.adds and op.token == loop.token for op in waits)
    assert [op.source.tokens for op in ops if isinstance(op, Copy) and op.source.memory == "P"] == [(loop.token,)]


def every(ops: Iterable[Op]) -> Iterator[Op]:
    for op in ops:
        yield op
        if isinstance(op, Loop):
            yield from every(op.body)
