"""How far words go: every wait of a GPU is of the whole system, and only puts are announced beyond the node."""

from __future__ import annotations

import re

import pytest

from a2agen.emit.triton_dist.backend import kernel_text
from a2agen.ir.plan import Copy, Notify, Put, Wait
from a2agen.passes import analysis
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.source import Source
from tests.passes.lower import matrix
from tests.passes.lower.removals import operations

WAIT = re.compile(r"dl\.wait\((?:[^()]|\([^()]*\))*?, \"(\w+)\", \"(\w+)\", waitValue=", re.DOTALL)
NOTIFY = re.compile(r"dl\.notify\(.*?comm_scope=\"(\w+)\"", re.DOTALL)
AFAR = {
    "signal": matrix.afar("signal per block", "credit per peer", "epoch", "even, one per peer", split=False),
    "notify": matrix.afar("notify per block", "credit per peer", "epoch", "even", split=True),
}
NEAR = {
    "direct": matrix.straight("h200", "notify per peer", "credit per peer", "epoch"),
    "staged": matrix.staged(
        "h200", "notify per tile", "credit per tile", "epoch", "[S (from H) D] symmetric per block slots 2"
    ),
}


def text_of(spec: str) -> str:
    source = Source("swap.a2a", spec)
    (schedule,) = check(source).schedules
    return kernel_text(lower(schedule), source)


@pytest.mark.parametrize("spec", [*AFAR.values(), *NEAR.values()], ids=[*AFAR, *NEAR])
def test_every_wait_is_of_the_whole_system(spec):
    text = text_of(spec)
    assert set(WAIT.findall(text)) == {("sys", "acquire")}
    assert len(WAIT.findall(text)) == text.count("dl.wait(")
    assert len(NOTIFY.findall(text)) == text.count("dl.notify(") > 0


@pytest.mark.parametrize("name", NEAR)
def test_loads_and_stores_are_announced_within_the_node(name):
    assert set(NOTIFY.findall(text_of(NEAR[name]))) == {"intra_node"}


@pytest.mark.parametrize("name", AFAR)
def test_what_tells_another_rank_of_a_put_goes_between_nodes(name):
    (schedule,) = matrix.checked(AFAR[name])
    ops = list(operations(lower(schedule).kernel))
    notifies = [op for op in ops if isinstance(op, Notify)]
    assert {op.between_nodes for op in notifies if str(op.rank) != "rank"} == {True}
    assert {op.between_nodes for op in notifies if str(op.rank) == "rank"} == {False}
    assert any(isinstance(op, Put) for op in ops)
    # Nothing of it needs the address of another rank's memory.
    assert not [op for op in ops if isinstance(op, Wait) and op.rank is not None]
    assert not [op for op in ops if isinstance(op, Copy) and op.target.rank is not None]
    assert analysis.within_node(schedule) == ()


def test_a_schedule_by_loads_and_stores_stays_on_the_node():
    (schedule,) = matrix.checked(NEAR["direct"])
    assert [phase.name for phase in analysis.within_node(schedule)] == ["send"]


@pytest.mark.parametrize(
    ("most", "length"), [(2**9, "rows * H * D * 2"), (2**12, "tl.cast(rows, tl.int64) * H * D * 2")]
)
def test_a_length_of_2_gib_is_computed_in_64_bits(most, length):
    spec = AFAR["signal"].replace("D in 1..20", f"D in 1..{most}").replace("S in 1..40", "S in 1..65536")
    assert f"{length}," in text_of(spec)
