"""Clauses that a rule refuses where they stand are taken at their word all the same: the kernel shows why."""

from __future__ import annotations

import pytest

from a2agen.ir.model import Schedule
from a2agen.ir.plan import Barrier, Copy, Loop, Notify, Op, Put, Quiet
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.passes.lower.completion import flat
from a2agen.source import Source
from tests.passes.lower import matrix


def refused(text: str, code: str) -> Schedule:
    found = check(Source("swap.a2a", text))
    assert code in {f.code for f in found.findings}
    return found.schedules[0]


def operations(schedule: Schedule) -> list[Op]:
    return [op for c in lower(schedule).kernel.classes for part in c.parts for op in flat(part.body)]


def order(schedule: Schedule) -> str:
    """What the core of a put does around it, by initials."""
    initials = {Put: "p", Quiet: "q", Notify: "n", Barrier: "b"}
    (part,) = [
        p for c in lower(schedule).kernel.classes for p in c.parts if any(isinstance(o, Put) for o in flat(p.body))
    ]
    return "".join(initials.get(type(op), "") for op in flat(part.body))


@pytest.mark.parametrize(
    ("ready", "each", "end"),
    [("notify per block", "pqn", "pnq"), ("notify per peer", "pqn", "pnq"), ("barrier", "pqb", "pbq")],
)
def test_puts_are_completed_where_the_spec_says(ready: str, each: str, end: str) -> None:
    text = matrix.put(ready, "none", "reset", ", one per peer", "")
    assert order(check(Source("swap.a2a", text)).schedules[0]) == each
    assert order(refused(text.replace("link udma", "link udma(complete end)"), "A612")) == end


@pytest.mark.parametrize(("who", "loops"), [("for self", 0), ("", 1)])
def test_a_core_for_each_other_rank_has_nothing_to_do_for_its_own(who: str, loops: int) -> None:
    text = matrix.straight("ascend910c", "notify per peer", "credit per peer", "epoch").replace(
        "role mover : all", "role mover : all, one per peer"
    )
    schedule = refused(text.replace("move A -> C", f"move A -> C {who}"), "A406")
    ops = [op for c in lower(schedule).kernel.classes for part in c.parts for op in part.body]
    copying = [op for op in ops if isinstance(op, Loop) and any(isinstance(o, Copy) for o in flat([op]))]
    assert len(copying) == loops
    assert all(str(loop.end) == "W - 1" for loop in copying)
