"""What the launcher does for each launch, by the rows of the launch-protocol table."""

from __future__ import annotations

import pytest

from a2agen.ir.plan import HostCopy, Launch
from a2agen.passes import analysis
from a2agen.passes.lower import lower
from tests.passes.lower import matrix

HOST = ["Clear", "Synchronize", "HostBarrier", "Launch"]
PROGRAMS = {
    "HOST": HOST,
    "HOST + barrier per block": HOST[1:],
    "START + barrier per block": HOST[3:],
    "PARITY": HOST[3:],
    "MAILBOX": HOST[3:],
    "ENTER + MAILBOX": HOST[3:],
    "ENTER, words carry n": HOST[3:],
}


def rows(name: str) -> set[str]:
    schedule = matrix.sound()[name]
    moves = [(p, m) for p, m in analysis.moves(schedule) if analysis.announced(schedule, m)]
    return {analysis.protocol(schedule, phase, move).name for phase, move in moves}


@pytest.mark.parametrize("row", PROGRAMS)
def test_schedules_of_one_row(row):
    names = [n for n in matrix.sound() if rows(n) == {row} and not analysis.of_host(matrix.sound()[n])]
    assert names
    for name in names:
        assert [type(op).__name__ for op in lower(matrix.sound()[name]).host] == PROGRAMS[row], name


def test_copies_of_the_host_are_forked_from_the_stream_where_it_may_hold_anything():
    hosted = {name: lower(s) for name, s in matrix.sound().items() if analysis.of_host(s)}
    programs = {
        tuple(type(op).__name__ for op in plan.host if not isinstance(op, HostCopy)) for plan in hosted.values()
    }
    assert programs == {
        ("Launch", "Fork", "Join", "Launch"),
        ("Clear", "Synchronize", "HostBarrier", "Join", "Launch"),
    }
    for name, plan in hosted.items():
        copies = [op for op in plan.host if isinstance(op, HostCopy)]
        assert len(copies) == (2 if "two phases" in name else 1)
        assert [op.kernel for op in plan.host if isinstance(op, Launch)] == [kernel.name for kernel in plan.kernels]


def test_rows_together_do_what_each_of_them_needs():
    """The words of a mailbox are left alone where those of another phase are cleared."""
    names = [name for name in matrix.sound() if rows(name) == {"HOST", "MAILBOX"}]
    assert names
    for name in names:
        plan = lower(matrix.sound()[name])
        assert [type(op).__name__ for op in plan.host] == HOST
        (cleared,) = {op.words for op in plan.host if hasattr(op, "words")}
        assert cleared == tuple(w.name for w in plan.words if w.cleared) == ("exchange_ready",)


def test_numbered_launches_count_them():
    for name in matrix.sound():
        plan = lower(matrix.sound()[name])
        numbered = rows(name) & {"PARITY", "ENTER + MAILBOX", "ENTER, words carry n"}
        for kernel in plan.kernels:
            kinds = {type(op).__name__ for op in (*kernel.prologue, *kernel.epilogue)}
            assert plan.uses_epochs == ({"EpochLoad", "EpochStore"} <= kinds)
        assert plan.uses_epochs or not numbered, name
