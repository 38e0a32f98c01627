"""On a GPU a barrier of the program is a fence, wherever it stands: none follows another with nothing between them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from a2agen.ir.model import Schedule
from a2agen.ir.plan import Fence, Op, inner
from a2agen.passes.lower import lower
from tests.passes.lower import matrix
from tests.passes.lower.interpret import Machine

# Each tile goes through a buffer of the sender, whose places are freed one by one, and is announced by itself.
CHAIN = f"""{matrix.EXCHANGE}
schedule one for swap {{
  target h200
  emit triton_dist
  block S by 2
  buffer K : [to S H D] per block slots 2
  buffer P : [from S H D] symmetric
  role worker : all
  phase pack on worker {{ move A -> K link ldst tile S 2, D 4 ready notify per tile free credit per tile }}
  phase send on worker {{ move K -> P link ldst tile S 2, D 4 ready notify per tile }}
  phase read on worker {{ move P -> C link ldst tile S 2, D 4 }}
  rounds reset
}}
"""


def chain() -> Schedule:
    (schedule,) = matrix.checked(CHAIN)
    return schedule


def doubled(ops: Iterable[Op]) -> bool:
    """Whether a fence follows another with nothing between them, at some level."""
    ops = tuple(ops)
    twice = any(isinstance(a, Fence) and isinstance(b, Fence) for a, b in pairwise(ops))
    return twice or any(doubled(inner(op)) for op in ops)


def bodies(schedule: Schedule) -> list[tuple[Op, ...]]:
    return [part.body for kernel in lower(schedule).kernels for c in kernel.classes for part in c.parts]


def test_a_tile_whose_place_is_freed_is_announced_behind_the_same_barrier():
    (body,) = bodies(chain())
    assert not doubled(body)
    assert doubled([*body, Fence(), Fence(after_notify=True)])
    Machine(lower(chain()), {"W": 3, "S": 5, "H": 2, "D": 5}, 6).run(launches=2)


def test_no_plan_for_a_gpu_has_two_barriers_in_a_row():
    plans = [s for s in matrix.sound().values() if s.target.vendor == "nvidia"]
    assert len(plans) > 50
    assert not any(doubled(body) for schedule in plans for body in bodies(schedule))
