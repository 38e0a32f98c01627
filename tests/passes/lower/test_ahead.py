"""A core that loads its first tile before it waits for other ranks: where that is allowed, and that nothing else is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

import pytest

from a2agen.ir.expr import Max
from a2agen.ir.model import Schedule
from a2agen.ir.plan import Aim, Copy, Load, Loop, Op, Plan, Store, TileAxis, Wait, When
from a2agen.passes import words
from a2agen.passes.lower import lower
from a2agen.passes.lower.completion import flat
from a2agen.passes.lower.peers import RANK
from a2agen.passes.rules.trial import with_storage
from tests.passes.lower import matrix
from tests.passes.lower.interpret import Machine, PlanError
from tests.passes.lower.removals import operations
from tests.passes.lower.test_program import mapped

CREDIT = ("notify per peer", "credit per peer", "epoch")
LOCAL = "[from S H D] symmetric"


def one(text: str) -> Schedule:
    (schedule,) = matrix.checked(text)
    return schedule


def untiled(text: str) -> str:
    """Without a tile, which the launcher then chooses."""
    return text.replace("tile D 4", "")


DIRECT = untiled(matrix.straight("h200", *CREDIT))
# Two axes around what lies together on both sides.
OUTER = DIRECT.replace("[(to S) H D]", "[H S (to D)]").replace("[S (from H) D]", "[H (from S) D]")


def moved(schedule: Schedule) -> str:
    """The loads, stores, copies and waits for entry of the phase `send`, in order, by initials."""
    initials = {Copy: "c", Load: "l", Store: "s"}
    found = ""
    for op in operations(lower(schedule).kernel):
        entry = isinstance(op, Wait) and op.word.words == words.ENTERED
        source = op.source.memory if isinstance(op, Copy | Load) else schedule.source.name
        found += "w" if entry else initials.get(type(op), "") if source == schedule.source.name else ""
    return found


@pytest.mark.parametrize("text", [DIRECT, OUTER], ids=["direct", "outer axes"])
def test_a_core_waits_between_the_load_and_the_store_of_its_first_task(text):
    schedule = one(text)
    (loop, *_) = [op for c in lower(schedule).kernel.classes for p in c.parts for op in p.body]
    assert isinstance(loop, Loop)
    tail = [op for op in loop.body if isinstance(op, Load | When | Store)]
    assert [type(op) for op in tail] == [Load, When, Store]
    assert isinstance(tail[1], When)
    assert (tail[1].name, tail[1].value) == (loop.name, loop.first)
    assert any(isinstance(op, Wait) for op in flat([tail[1]]))
    assert moved(schedule) == "lws"


@pytest.mark.parametrize(
    ("text", "order"),
    [
        # With a tile each task waits for its own peer, and a core that announces for all of them once more.
        (matrix.straight("h200", *CREDIT), "lwsw"),
        (matrix.straight("ascend910c", *CREDIT), "wcw"),
        (matrix.straight("h200", "notify per tile", *CREDIT[1:]), "lws"),
        (matrix.straight("h200", "notify per block", *CREDIT[1:], block=True), "lwsw"),
        (matrix.staged("h200", *CREDIT, LOCAL), "lwsw"),
        (matrix.staged("ascend910c", *CREDIT, LOCAL), "wcw"),
        # The place of a tile is waited for as well.
        (matrix.staged("h200", "notify per tile", "credit per tile", "epoch", LOCAL), "wc"),
        # No rank waits for another to enter.
        (matrix.staged("h200", "notify per peer", "none", "epoch", LOCAL), "c"),
    ],
)
def test_where_a_load_need_not_wait(text, order):
    assert moved(one(text)) == order


def test_what_other_ranks_can_reach_is_read_after_the_wait():
    schedule = one(DIRECT)
    (source,) = (s for s in schedule.storages if s.kind == "in")
    assert moved(with_storage(schedule, source, replace(source, symmetric=True))) == "wc"


def test_what_is_read_after_a_wait_for_it_is_read_after_it():
    """A reader of staging, and a phase that sends on what another has packed."""
    schedule = one(matrix.staged("h200", *CREDIT, LOCAL))
    read = [op for op in operations(lower(schedule).kernel) if isinstance(op, Copy | Load) and op.source.memory == "P"]
    assert [type(op) for op in read] == [Copy]
    packed = matrix.straight("h200", *CREDIT).replace("role mover", "buffer K : [to S H D] role mover")
    packed = packed.replace(
        "phase send on", "phase pack on mover { move A -> K link ldst tile D 4 ready notify per peer } phase send on"
    )
    schedule = one(packed.replace("move A -> C", "move K -> C"))
    assert not any(isinstance(op, Load) for op in operations(lower(schedule).kernel))


@pytest.mark.parametrize("text", [DIRECT, matrix.staged("h200", *CREDIT, LOCAL)], ids=["direct", "staged"])
def test_a_link_whose_loads_hold_up_their_core_waits_first(text):
    schedule = one(text)
    links = {name: replace(link, loads_ahead=False) for name, link in schedule.target.links.items()}
    other = replace(schedule, target=replace(schedule.target, links=MappingProxyType(links)))
    assert moved(schedule).startswith("lws")
    assert moved(other).startswith("wc")
    Machine(lower(other), {"W": 3, "S": 3, "H": 2, "D": 5}, 8).run(launches=2)


def small(plan: Plan) -> Plan:
    """The plan with tiles of two rows of four elements, so that a small shape has several."""
    return replace(plan, constants=tuple((name, 4 if name == "TILE_RUN" else 2) for name, _ in plan.constants))


# More tasks than cores; more cores than tasks; one task for each peer, and cores that have none.
SHAPES = [
    ({"W": 3, "S": 5, "H": 2, "D": 5}, 4),
    ({"W": 3, "S": 3, "H": 2, "D": 3}, 25),
    ({"W": 4, "S": 1, "H": 1, "D": 1}, 7),
]


def run(plan: Plan, orders: Sequence[int], shapes: Sequence[tuple[dict[str, int], int]] = SHAPES) -> None:
    for values, cores in shapes:
        for seed in orders:
            Machine(plan, values, cores, seed, drift=True).run(launches=3)


@pytest.mark.parametrize("text", [DIRECT, OUTER], ids=["direct", "outer axes"])
def test_every_element_arrives_whatever_the_number_of_cores(text):
    run(small(lower(one(text))), range(3))


def anew(ops: tuple[Op, ...]) -> tuple[Op, ...]:
    """The wait of the first task, behind its store."""
    kept = [op for op in ops if not isinstance(op, When)]
    return (*kept, *(op for op in ops if isinstance(op, When)))


def behind(op: Op) -> list[Op]:
    return [replace(op, body=anew(op.body))] if isinstance(op, Loop) else [op]


def idle(op: Op) -> list[Op]:
    """A core without a task does not wait."""
    return [replace(op, end=op.end.left)] if isinstance(op, Loop) and isinstance(op.end, Max) else [op]


def unmasked(op: Op) -> list[Op]:
    """A task past the last is taken for one."""
    if not isinstance(op, Load | Store):
        return [op]
    return [
        replace(op, tile=tuple(axis for axis in op.tile if isinstance(axis, TileAxis) and axis.offsets is not None))
    ]


def unbound(op: Op) -> list[Op]:
    """No address is bound."""
    return [] if isinstance(op, Aim) else [op]


def bound_elsewhere(op: Op) -> list[Op]:
    """The address that is bound is at the own rank."""
    return [replace(op, target=replace(op.target, rank=RANK))] if isinstance(op, Aim) else [op]


@pytest.mark.parametrize(
    ("text", "change", "complaint"),
    [
        (DIRECT, unbound, "no address in C is bound"),
        (DIRECT, bound_elsewhere, "the address that is bound is not that of"),
        (DIRECT, behind, "is .*, not|times"),
        (DIRECT, lambda op: [] if isinstance(op, When) else [op], "is .*, not|times|deadlock"),
        (DIRECT, idle, "deadlock|is .*, not"),
        (OUTER, unmasked, "outside"),
    ],
    ids=["no address", "another address", "store before wait", "no wait", "idle cores do not wait", "empty tasks copy"],
)
def test_a_core_that_does_not_wait_is_found(text: str, change: Callable[[Op], list[Op]], complaint: str):
    plan = small(lower(one(text)))
    other = mapped(plan, change)
    assert other != plan
    with pytest.raises(PlanError, match=complaint):
        run(other, range(40))
