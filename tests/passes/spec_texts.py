"""A spec to take pieces of, and its checks."""

from __future__ import annotations

from a2agen.passes.check import Checked, check
from a2agen.source import Source

EXCHANGE = """exchange e {
  ranks W in 2..8
  dim   S in 1..64
  dim   D in 1..256
  where S * D <= 2**13
  in  A : bf16 [(to S) D]
  out C : bf16 [S (from D)]
  case small { W = 2, S = 5, D = 24 }
}
"""

SCHEDULE = """schedule s for e {
  target ascend910c
  emit   triton_dist
  block  S by 8
  buffer P : [S (from D)] symmetric per block slots 2
  role sender : even
  role reader : odd
  phase send on sender {
    move  A -> P
    link  mte
    tile  S 8, D 64
    ready notify per tile
    free  credit per tile
  }
  phase read on reader {
    move  P -> C
    link  mte
    tile  S 8, D 64
  }
  rounds reset
}
"""


def made(text: str, *changes: tuple[str, str]) -> Checked:
    """The checks of a text after changes, each of which must apply."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return check(Source("spec.a2a", text))


def codes(checked: Checked) -> list[str]:
    return [f.code for f in checked.findings if f.code[1] != "7"]
