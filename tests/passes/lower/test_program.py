"""The programs of plans, interpreted: every element arrives, once, launch after launch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from a2agen.ir.expr import Const
from a2agen.ir.model import Schedule
from a2agen.ir.plan import Loop, Notify, Op, Plan, Wait, When
from a2agen.passes import analysis
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.passes.protocol.table import TABLE
from a2agen.source import Source
from tests.passes.lower import matrix
from tests.passes.lower.interpret import Machine, PlanError

SPECS = Path(__file__).parents[3] / "specs"
# Blocks and tiles with a tail and more cores than tasks; fewer cores than peers; one element on the fewest ranks.
SHAPES = [
    ({"W": 3, "S": 5, "H": 1, "D": 5}, 8),
    ({"W": 4, "S": 3, "H": 2, "D": 2}, 4),
    ({"W": 2, "S": 1, "H": 1, "D": 1}, 6),
]


TILES = ["S 1", "D 1", "S 2, H 4", "H 1, D 16", "S 1, H 2, D 2", "S 2, H 2, D 4", "H 4, D 32"]


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("block", [False, True])
def test_tiles_of_all_shapes(tile, block):
    """Tiles of one element, larger than the axis, and across several axes."""
    buffer = "[S (from H) D] symmetric per block slots 2" if block else "[from S H D] symmetric"
    for text in (
        matrix.staged("ascend910c", "notify per tile", "credit per tile", "reset", buffer, block),
        matrix.straight("h200", "notify per block" if block else "notify per peer", "credit per peer", "epoch", block),
    ):
        (schedule,) = matrix.checked(text.replace("tile S 2, D 4", f"tile {tile}").replace("tile D 4", f"tile {tile}"))
        Machine(lower(schedule), {"W": 3, "S": 5, "H": 3, "D": 3}, 6).run(launches=2)


def rest_of(schedule: Schedule) -> bool:
    return any(role.rest_of for role in schedule.roles)


@pytest.mark.parametrize("name", sorted(matrix.sound()))
def test_every_element_arrives_once_in_each_launch(name):
    schedule = matrix.sound()[name]
    plan = lower(schedule)
    for seed, (values, cores) in enumerate(SHAPES):
        # A role that takes what others leave needs cores that they leave.
        enough = max(cores, 2 * values["W"]) if rest_of(schedule) else cores
        Machine(plan, values, enough, seed).run(launches=3)


def test_every_row_that_is_no_error_and_needs_no_signal_or_flag_is_among_them():
    wanted = {
        row.protocol.name
        for row in TABLE
        if row.error is None and {kind for kind, _ in row.ready} & {"barrier", "notify"}
    }
    met = {
        analysis.protocol(schedule, phase, move).name
        for schedule in matrix.sound().values()
        for phase, move in analysis.moves(schedule)
        if analysis.announced(schedule, move)
    }
    assert met == wanted
    assert {schedule.target.name for schedule in matrix.sound().values()} == {"ascend910c", "ascend950", "h200"}


def shipped() -> list[tuple[str, Schedule]]:
    found = []
    for path in sorted(SPECS.glob("*.a2a")):
        for schedule in check(Source(path.name, path.read_text(encoding="utf-8"))).schedules:
            found.append((f"{path.stem} {schedule.name}", schedule))
    return found


@pytest.mark.parametrize(("name", "schedule"), shipped(), ids=lambda v: v if isinstance(v, str) else "")
def test_the_shipped_specs(name, schedule):
    exchange = schedule.exchange
    small = {e.name: max(e.lo, 2) for e in exchange.bounds.extents} | {exchange.ranks: 3}
    if schedule.block is not None:
        small[schedule.block.axis] = 2 * schedule.block.size + 1
    # Even cores for every queue of both peers, and one that is left for packing.
    Machine(lower(schedule), small, 12).run(launches=3)


def mapped(plan: Plan, change) -> Plan:
    """The plan with its operations changed, `change` giving those that stand in an operation's place."""

    def walk(ops: tuple[Op, ...]) -> tuple[Op, ...]:
        found = []
        for op in ops:
            inner = replace(op, body=walk(op.body)) if isinstance(op, Loop | When) else op
            found += change(inner)
        return tuple(found)

    kernel = plan.kernel
    classes = tuple(
        replace(kind, parts=tuple(replace(part, body=walk(part.body)) for part in kind.parts))
        for kind in kernel.classes
    )
    return replace(plan, kernels=(replace(kernel, classes=classes),))


def run_in_any_order(plan: Plan, values: dict[str, int]) -> None:
    for seed in range(20):
        Machine(plan, values, 8, seed).run(launches=2)


PIPELINED = matrix.staged(
    "ascend910c", "notify per tile", "credit per tile", "reset", "[S (from H) D] symmetric per block slots 2"
)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda op: [] if isinstance(op, Notify) else [op], "deadlock"),
        (lambda op: [] if isinstance(op, Wait) and op.value == Const(0) else [op], "is .*, not|deadlock"),
        (lambda op: [] if isinstance(op, Wait) and op.value == Const(1) else [op], "never written|is .*, not"),
        (lambda op: [replace(op, step=op.step + 1)] if getattr(op, "name", "") == "task" else [op], "deadlock|not"),
        (lambda op: [replace(op, first=Const(0))] if getattr(op, "name", "") == "task" else [op], "times|deadlock"),
    ],
    ids=["no notify", "no wait for empty", "no wait for full", "tasks left out", "tasks done twice"],
)
def test_a_broken_program_is_found(change, complaint):
    (schedule,) = matrix.checked(PIPELINED)
    plan = lower(schedule)
    values = {"W": 3, "S": 13, "H": 2, "D": 5}
    Machine(plan, values, 8).run(launches=2)
    with pytest.raises(PlanError, match=complaint):
        run_in_any_order(mapped(plan, change), values)


def test_a_start_bound_anew_by_inner_tiles_is_bound_again_behind_them():
    text = """
    schedule one for swap {
      target ascend910c
      emit triton_dist
      block S by 4
      buffer L : [S H D]
      buffer P : [from S H D] symmetric
      role worker : all
      phase send on worker { move A -> P for others link mte tile S 4, D 4 ready notify per block }
      phase keep on worker { move A -> L for self link mte tile S 2, D 4 ready notify per block }
      phase read on worker { move P -> C for others move L -> C for self link mte tile S 4, D 4 }
      rounds reset
    }
    """
    (schedule,) = matrix.checked(matrix.EXCHANGE + text)
    Machine(lower(schedule), {"W": 3, "S": 7, "H": 1, "D": 3}, 4).run(launches=2)
