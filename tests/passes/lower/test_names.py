"""Names that a plan gives do not hide those of the spec, nor each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from a2agen.ir.plan import Let, Loop, Op, Plan, Wait, inner
from a2agen.passes.lower import lower
from a2agen.passes.lower.scope import Scope
from tests.passes.lower import matrix
from tests.passes.lower.interpret import Machine

PIPELINED = matrix.staged(
    "ascend910c", "notify per tile", "credit per tile", "epoch", "[S (from H) D] symmetric per block slots 2"
)
STRAIGHT = matrix.straight("h200", "notify per tile", "credit per peer", "epoch", block=True)
PUT = matrix.put("notify per block", "none", "epoch", ", one per peer", "even, rest of sender")

# Each is a name that a plan of these schedules gives itself, or one letter case away from another extent.
ODD = [
    *({"S": "s0"}, {"S": "blk"}, {"S": "blocks_s"}, {"S": "BLOCK_S"}, {"S": "h", "H": "H"}, {"S": "D", "D": "d"}),
    *({"H": "to_"}, {"H": "src"}, {"H": "i"}, {"H": "h"}, {"H": "emptied"}, {"H": "admitted"}, {"H": "arrived"}),
    *({"D": "d_tile"}, {"D": "d0"}, {"H": "TILE_D"}, {"D": "tiles_d"}, {"D": "offs_d"}, {"D": "tile_"}, {"D": "rows"}),
    *({"W": "w"}, {"W": "rank_"}, {"W": "cores_"}, {"W": "filler_lane"}, {"P": "d"}, {"C": "d_tile"}, {"A": "s0"}),
    *({"send": "exchange"}, {"sender": "send"}, {"P": "send_full"}, {"A": "send_ready"}, {"W": "print"}, {"H": "len"}),
]


def renamed(text: str, names: dict[str, str]) -> str:
    pattern = re.compile(rf"\b({'|'.join(names)})\b")
    return pattern.sub(lambda found: names[found[0]], text)


def given(plan: Plan) -> Iterator[tuple[str, str]]:
    """Every name that a plan gives, with what gives it."""

    def walk(ops: tuple[Op, ...]) -> Iterator[tuple[str, str]]:
        for op in ops:
            if isinstance(op, Let | Loop):
                yield op.name, type(op).__name__
            if isinstance(op, Wait):
                yield op.token, "token"
            yield from walk(inner(op))

    yield from ((name, "constant") for name, _ in plan.constants)
    yield from ((o.name, "offsets") for o in plan.offsets)
    yield from ((let.name, "count") for let in plan.counts)
    yield from ((w.name, "words") for w in plan.words)
    for ops in (plan.kernel.prologue, plan.kernel.epilogue, *(p.body for c in plan.kernel.classes for p in c.parts)):
        yield from walk(ops)


@pytest.mark.parametrize("text", [PIPELINED, STRAIGHT, PUT], ids=["pipelined", "straight", "put"])
@pytest.mark.parametrize("names", ODD, ids=str)
def test_plans_work_whatever_their_spec_names(text, names):
    (schedule,) = matrix.checked(renamed(text, names))
    plan = lower(schedule)
    assert clashes(plan) == []
    shape = {names.get(axis, axis): extent for axis, extent in {"W": 3, "S": 5, "H": 2, "D": 3}.items()}
    Machine(plan, shape, 8).run(launches=2)


def clashes(plan: Plan) -> list[str]:
    """Names that a plan gives twice, to things of several kinds, or that are the spec's."""
    schedule = plan.schedule
    kinds = {e.name: {"extent"} for e in schedule.exchange.bounds.extents}
    kinds |= {s.name: {"storage"} for s in schedule.storages}
    for name, kind in given(plan):
        kinds.setdefault(name, set()).add("variable" if kind in ("Let", "Loop") else kind)
    return [name for name, found in kinds.items() if len(found) > 1]


@pytest.mark.parametrize("names", [{"H": "blk"}, {"S": "h", "H": "H"}, {"H": "TILE_D"}], ids=str)
def test_a_clash_is_found(names, monkeypatch):
    (schedule,) = matrix.checked(renamed(PIPELINED, names))
    monkeypatch.setattr(Scope, "__post_init__", lambda scope: None)
    assert clashes(lower(schedule)) == list({"TILE_D", "blk", "h"} & {*names.values()})
