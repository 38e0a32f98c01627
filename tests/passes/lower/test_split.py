"""Puts of single runs: every element once, in as few requests as the layouts allow."""

from __future__ import annotations

import pytest

from a2agen.ir.plan import Loop, Op, Put
from a2agen.passes.lower import lower
from tests.passes.lower.matrix import checked
from tests.passes.lower.test_program import run_in_any_order

SPEC = """
exchange e {{
  ranks W in 2..8
  dim S in 1..64
  dim H in 1..8
  dim D in 1..64
  in  A : bf16 [{source}]
  out C : bf16 [{result}]
}}
schedule s for e {{
  target ascend950
  emit   triton_dist
  {block}
  buffer P : [{staging}] symmetric
  role sender : even, one per peer
  role reader : odd
  phase exchange on sender {{
    move A -> P for others
    link udma (split)
    ready notify per {unit}
  }}
  phase gather on reader {{
    move P -> C for others
    move A -> C for self
    link mte
    tile D 8
  }}
  rounds reset
}}
"""

FORWARD = {"source": "S (to H) D", "result": "(from S) H D", "staging": "from S H D"}
INNER = {"source": "S H (to D)", "result": "(from S) H D", "staging": "from S H D"}
MIDDLE = {"source": "H S (to D)", "result": "H (from S) D", "staging": "from H S D"}
WHOLE = {"source": "(to S) H D", "result": "S (from H) D", "staging": "from S H D"}
BLOCKED = {"block": "block S by 4", "unit": "block"}
AT_ONCE = {"block": "", "unit": "peer"}


@pytest.mark.parametrize("blocks", [BLOCKED, AT_ONCE], ids=["blocked", "at once"])
@pytest.mark.parametrize(
    ("layouts", "loops_blocked", "loops_at_once"),
    [(FORWARD, 1, 1), (INNER, 2, 2), (MIDDLE, 2, 2), (WHOLE, 0, 0)],
    ids=["forward", "inner", "middle", "whole"],
)
def test_runs_cover_a_slab(
    layouts: dict[str, str], loops_blocked: int, loops_at_once: int, blocks: dict[str, str]
) -> None:
    (schedule,) = checked(SPEC.format(**layouts, **blocks))
    plan = lower(schedule)
    for values in ({"W": 3, "S": 9, "H": 2, "D": 5}, {"W": 2, "S": 3, "H": 1, "D": 16}):
        run_in_any_order(plan, values)
    sender = plan.kernel.classes[0].parts[0].body
    around_peers = 2 if blocks is BLOCKED else 1
    assert depth(sender) - around_peers == (loops_blocked if blocks is BLOCKED else loops_at_once)


def depth(ops: tuple[Op, ...]) -> int:
    """How many loops are around the innermost put; -1 where there is none."""
    depths = [0 if isinstance(op, Put) else depth(op.body) + 1 for op in ops if isinstance(op, Put | Loop)]
    return max((d for d in depths if d >= 0), default=-1)
