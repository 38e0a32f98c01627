"""Offsets are 64-bit exactly where the bounds let them be 2**31 or more."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from a2agen.emit.triton_dist import backend
from tests.emit.conftest import emit

EXCHANGE = """
exchange swap {{
  ranks W in 2..{ranks}
  dim S in 1..{rows}
  dim H in 1..4
  dim D in 1..16
  {where}
  in A : i8 [(to S) H D]
  out C : i8 [S (from H) D]
}}
schedule one for swap {{
  target h200
  emit triton_dist
  place C symmetric
  role mover : all
  phase send on mover {{
    move A -> C
    link ldst
    tile H 4, D 16
    ready notify per {unit}
    free credit per peer
  }}
  rounds epoch
}}
"""


def kernel(rows: int, ranks: int = 4, where: str = "", unit: str = "peer") -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "format_python", lambda text, name: text)
        return emit(EXCHANGE.format(rows=rows, ranks=ranks, where=where, unit=unit)).files["kernel.py"]


def line(text: str, start: str) -> str:
    return next(found for found in text.splitlines() if found.strip().startswith(start))


@settings(max_examples=30)
@given(st.integers(2, 8), st.integers(-2, 2), st.integers(20, 24))
def test_casts_of_tensors(ranks: int, near: int, magnitude: int):
    rows = 2**magnitude + near
    text = kernel(rows, ranks)
    wide = ranks * rows * 4 * 16 >= 2**31
    assert ("tl.int64" in line(text, "A_tile = ")) == wide
    assert ("tl.int64" in line(text, "C_tile = ")) == wide
    assert ("tl.int64" in text) == wide


def test_the_smallest_range_that_needs_them():
    assert "tl.int64" not in kernel(2**23 - 1)
    assert "tl.cast(to, tl.int64) * S" in kernel(2**23)


def test_a_bound_on_a_product_counts():
    rows = 2**30
    assert "tl.int64" not in kernel(rows, where="where S * H * D <= 2**28")
    assert "tl.int64" in kernel(rows, where="where S * H * D <= 2**29")


def test_words_of_their_own():
    """A word takes 16 places of 64 bits: 2**27 of them need 64-bit offsets, however small the tensors."""
    large, small = kernel(2**25, unit="tile"), kernel(2**25 - 1, unit="tile")
    assert "tl.int64" in line(large, "dl.notify(send_ready")
    assert "tl.int64" in line(large, "arrived += dl.wait(send_ready")
    assert "tl.int64" not in line(small, "dl.notify(send_ready")
    assert "tl.int64" not in line(small, "arrived += dl.wait(send_ready")


def test_how_many_tiles_there_are_of_what_lies_together():
    """There are few tiles of many elements: the number that is divided needs 64 bits, not the quotient."""

    def tiles(extent: int) -> str:
        text = EXCHANGE.format(rows=4, ranks=4, where="where S * H * D <= 2**32", unit="peer")
        text = text.replace("dim H in 1..4", f"dim H in 1..{extent}").replace("dim D in 1..16", "dim D in 1..65536")
        return line(emit(text.replace("tile H 4, D 16", "")).files["kernel.py"], "tiles_run = ")

    assert tiles(2**15).endswith("= tl.cast(tl.cdiv(tl.cast(H, tl.int64) * D, TILE_RUN), tl.int32)")
    assert tiles(2**15 - 1).endswith("= tl.cdiv(H * D, TILE_RUN)")
