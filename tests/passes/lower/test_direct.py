"""Programs that drive queues: every element arrives once, launch after launch, and nothing may be left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from a2agen.ir.expr import Const, Sym
from a2agen.ir.model import Schedule
from a2agen.ir.plan import ClearFlags, Copy, Notify, Plan, Put, Quiet, Wait, WaitFlags
from a2agen.passes.lower import lower
from tests.passes.lower import direct, matrix
from tests.passes.lower.interpret import Machine, PlanError
from tests.passes.lower.removals import changed, operations, without

# Blocks and tiles with a tail and a core for each queue; fewer cores than peers.
SHAPES = [({"W": 3, "S": 5, "H": 1, "D": 5}, 14), ({"W": 4, "S": 3, "H": 2, "D": 2}, 4)]
SMALL = {"W": 3, "S": 5, "H": 1, "D": 4}


def cores(schedule: Schedule, ranks: int, least: int) -> int:
    """A role that takes what others leave needs cores that they leave."""
    queues = max(phase.link.queues for phase in schedule.phases)
    taken = 2 * ((ranks - 1) * queues + 1)
    return max(least, taken) if any(role.rest_of for role in schedule.roles) else least


@pytest.mark.parametrize("name", sorted(direct.sound()))
def test_every_element_arrives_once_in_each_launch(name):
    schedule = direct.sound()[name]
    plan = lower(schedule)
    for seed, (values, least) in enumerate(SHAPES):
        Machine(plan, values, cores(schedule, values["W"], least), seed, drift=seed == 1).run(launches=3)


def test_the_matrix_has_what_ascend_c_says():
    said = {(p.ready.kind, s.rounds) for s in direct.sound().values() for p in s.phases if p.link.name == "udma"}
    assert said >= {(kind, rounds) for kind in ("signal", "notify", "barrier") for rounds in ("reset", "epoch")}
    links = [p.link for s in direct.sound().values() for p in s.phases]
    assert any(p.ready.kind == "flag" for s in direct.sound().values() for p in s.phases)
    assert {link.queues for link in links} >= {1, 2, 3}
    assert {link.complete for link in links} >= {"each", "end"}
    assert any(link.relay for link in links)
    assert any(link.batch and link.split for link in links)


def found(plan: Plan, schedule: Schedule, orders: int = 100) -> bool:
    """Whether one of some orders shows that a plan is wrong."""
    try:
        for seed in range(orders):
            Machine(plan, SMALL, cores(schedule, SMALL["W"], 8), seed, drift=True).run(launches=3)
    except PlanError:
        return True
    return False


REMOVED = [
    direct.put("signal per block", "none", "epoch", "qps 2"),
    direct.put("signal per peer", "credit per peer", "epoch"),
    direct.put("signal per block", "none", "reset", "complete each"),
    direct.put("notify per block", "none", "epoch", "qps 2"),
    direct.put("notify per peer", "credit per peer", "epoch", "relay next", block=False),
    direct.put("barrier", "none", "epoch", "qps 2"),
    direct.packed("notify per block", "signal per block", "none", "epoch"),
    direct.split("notify per block", "reset", "split, submit batch 3", direct.SPLITS[0]),
    direct.flagged("notify per block", "none", "epoch"),
    direct.flagged("notify per tile", "credit per peer", "epoch", "qps 2"),
    direct.flagged("notify per block", "none", "reset", "complete each"),
]


def wrong(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """The plan without each operation that waits or that is waited for; and with another queue, or another peer."""
    yield from without(plan, Quiet, Notify, Wait, WaitFlags, ClearFlags, Put)
    for op in (Put, Quiet):
        yield from changed(plan, op, lambda op: [replace(op, queue=op.queue + 1)])
    yield from changed(plan, Quiet, lambda op: [replace(op, peer=(op.peer + 1) % Sym("W"))])
    if any(phase.ready.kind == "signal" for phase in plan.schedule.phases):
        yield from changed(plan, Put, lambda op: [replace(op, signal=None)])
    for name, other in changed(plan, Copy, lambda op: [replace(op, flag=None)]):
        if other != plan:
            yield name, other


@pytest.mark.parametrize("text", REMOVED)
def test_whatever_is_left_out_or_goes_the_wrong_way_is_found(text):
    schedule = direct.narrow(*matrix.checked(text))
    plan = lower(schedule)
    assert not found(plan, schedule, orders=10)
    spoilt = list(wrong(plan))
    assert [name for name, other in spoilt if not found(other, schedule)] == []
    assert len(spoilt) >= 5


def test_a_batch_that_nobody_submits_and_one_that_is_submitted_singly():
    (schedule,) = matrix.checked(direct.split("notify per block", "reset", "split, submit batch 3", direct.SPLITS[0]))
    plan = lower(schedule)
    for submission in ("defer", "now"):
        for _, other in changed(plan, Put, lambda op, how=submission: [replace(op, submission=how)]):
            assert other == plan or submission == "now" or found(other, schedule)


def test_a_queue_of_two_cores_is_found():
    (schedule,) = matrix.checked(direct.put("signal per block", "none", "epoch", "qps 2"))
    plan = lower(schedule)
    for _, other in changed(plan, Put, lambda op: [replace(op, queue=Const(0))]):
        with pytest.raises(PlanError, match="has requests of cores"):
            Machine(other, SMALL, 12).run(launches=1)


def test_a_relay_goes_through_neither_end():
    (schedule,) = matrix.checked(direct.put("notify per block", "none", "epoch", "relay next"))
    plan = lower(schedule)
    for via in (Sym("rank"), Sym("to")):
        for _, other in changed(plan, Put, lambda op, via=via: [replace(op, via=via)]):
            with pytest.raises(PlanError, match="through rank"):
                Machine(other, SMALL, 8).run(launches=1)
    (put,) = [op for op in operations(plan.kernel) if isinstance(op, Put)]
    for ranks in (3, 4, 5):
        for rank in range(ranks):
            for i in range(ranks - 1):
                peer = (rank + i + 1) % ranks
                via = put.via.evaluate({"W": ranks, "rank": rank, "i": i})
                after = [(peer + k) % ranks for k in range(1, ranks)]
                assert via == next(r for r in after if r not in (rank, peer))
