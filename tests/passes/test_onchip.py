"""The prediction of on-chip memory, against what bishengir-compile 1.2.0 printed for the same loops and tiles."""

from __future__ import annotations

import pytest

from a2agen.passes import onchip
from a2agen.passes.check import check
from a2agen.source import Source

SPEC = """
exchange e {{
  ranks W in 2..8
  dim   S in 1..64
  dim   D in 1..65536
  in  A : bf16 [(to S) D]
  out C : bf16 [S (from D)]
}}

schedule s for e {{
  target {target}
  emit   triton_dist
  buffer P : [from S D] symmetric
  role sender : even
  role reader : odd
  phase send on sender {{
    move  A -> P
    link  mte
    tile  {tile}
    ready notify per tile
  }}
  phase read on reader {{
    move  P -> C for others
    move  P -> C for self
    link  mte
    tile  {tile}
  }}
  rounds reset
}}
"""


@pytest.mark.parametrize(
    ("target", "tile", "bytes_"),
    [
        ("ascend910c", "S 8, D 2048", 6 * 32768),  # three loops, each with two buffers of its own
        ("ascend950", "S 8, D 2048", 6 * 32768),
        ("ascend910c", "S 8, D 4096", 3 * 65536),  # room for three of six
        ("ascend910c", "S 8, D 8192", 131072),  # for one, not for two: no loop has two
        ("ascend910c", "S 64, D 8", 6 * 64 * 32),  # a row of 16 bytes takes 32
    ],
)
def test_kernel_bytes(target: str, tile: str, bytes_: int) -> None:
    checked = check(Source("s.a2a", SPEC.format(target=target, tile=tile)))
    assert not [f for f in checked.findings if f.code == "A506"]
    assert onchip.kernel_bytes(checked.schedules[0]) == bytes_


@pytest.mark.parametrize(
    ("target", "tile"),
    [
        ("ascend910c", "S 8, D 16384"),  # ub overflow: requires 2097152 bits while 1572864 bits available
        ("ascend950", "S 8, D 8192"),  # ub overflow: requires 2097152 bits while 2031616 bits available
        ("ascend950", "D 8, S 4096"),  # the same, by the padding of rows
    ],
)
def test_what_the_compiler_refuses(target: str, tile: str) -> None:
    checked = check(Source("s.a2a", SPEC.format(target=target, tile=tile)))
    assert {f.code for f in checked.findings} == {"A506"}
