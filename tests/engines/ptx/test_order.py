"""What is wrong with PTX is found: each operation that is gone, moved, weaker, done by all or not awaited."""

from __future__ import annotations

import re

import pytest

from a2agen.engines.ptx import events, order
from a2agen.engines.ptx.assembly import blocks
from tests.engines.ptx.listing import PARAMETERS, PTX, plan


def faults(ptx: str) -> list[str]:
    known = plan()
    program = blocks(ptx, known.kernel.name)
    return order.faults(program, events.seen(program, known, PARAMETERS), events.planned(known.kernel, {}))


def without(pattern: str) -> str:
    """PTX without the first line that has a pattern."""
    lines = PTX.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if re.search(pattern, line))
    return "".join(lines[:at] + lines[at + 1 :])


def moved(pattern: str, behind: str) -> str:
    """PTX with the first line that has a pattern, and where it comes from, before the first that has another."""
    lines = PTX.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if re.search(pattern, line))
    origin = next(line for line in reversed(lines[:at]) if ".loc" in line)
    there = next(n for n, line in enumerate(lines) if re.search(behind, line))
    before = next(line for line in reversed(lines[:there]) if ".loc" in line)
    taken = [line for n, line in enumerate(lines) if n != at]
    there -= at < there
    return "".join([*taken[:there], origin, lines[at], before, *taken[there:]])


def test_nothing_is_wrong_with_the_listing():
    assert faults(PTX) == []


def test_events_are_those_of_the_plan():
    program = blocks(PTX, "swap_direct")
    found = [str(g.event) for g in order.groups(events.seen(program, plan(), PARAMETERS))]
    assert found == [
        "load of epochs",
        "set of entered at a peer",
        "load of A",
        "wait of entered",
        "store of C at a peer",
        "barrier of the program",
        "add of send_ready at a peer",
        "wait of send_ready",
        "store of epochs",
    ]


OPERATIONS = {
    r"ld\.global.*%rd5 ": "load of epochs",
    r"st\.release": "set of entered at a peer",
    r"ld\.acquire.*%rd4": "wait of entered",
    r"bar\.sync": "barrier of the program",
    r"red\.release": "add of send_ready at a peer",
    r"ld\.acquire.*%rd3": "wait of send_ready",
    r"st\.global.*%rd5 ": "store of epochs",
}


@pytest.mark.parametrize("pattern", OPERATIONS)
def test_an_operation_that_is_gone(pattern):
    assert f"PTX has 0 of 1: {OPERATIONS[pattern]}" in faults(without(pattern))


@pytest.mark.parametrize(
    ("pattern", "behind", "said"),
    [
        (r"%p6 st\.global\.v4", r"@%p8 bra", "store of C at a peer (line 21) runs before"),
        (r"%p7 st\.global\.v4", r"mov\.u64 %rd10", "store of C at a peer (line 21) runs before"),
        (r"%p6 ld\.global\.v4", r"mov\.u64 %rd10", "load of A (line 13) runs before: load of epochs (line 10)"),
        (r"red\.release", r"bar\.sync", "add of send_ready at a peer (line 25) runs before: barrier of the program"),
        (r"%p7 st\.global\.v4", r"setp\.ne\.b32 	%p17", "may overtake the store of C at a peer (line 21)"),
        (r"st\.global\.b64 .*%rd5", r"ld\.acquire.*%rd3", "store of epochs (line 31) runs before"),
        (r"bar\.sync", r"%p7 st\.global\.v4", "barrier of the program (line 23) runs before: store of C"),
    ],
)
def test_an_operation_that_moved(pattern, behind, said):
    found = faults(moved(pattern, behind))
    assert any(said in fault for fault in found), found


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ld.acquire.sys", "ld.acquire.gpu", "ld.acquire.gpu.global.b64, which no operation"),
        ("ld.acquire.sys", "ld.relaxed.sys", "ld.relaxed.sys.global.b64, which no operation"),
        ("ld.acquire.sys", "ld.volatile", "ld.volatile.global.b64, which no operation"),
        ("st.release.sys", "st.release.cta", "st.release.cta.global.b64, which no operation"),
        ("st.release.sys", "st.relaxed.sys", "st.relaxed.sys.global.b64, which no operation"),
        ("st.release.sys.global", "st.global", "0 of 1: set of entered"),
        ("red.release.sys", "red.release.gpu", "red.release.gpu.global.add.u64, which no operation"),
        ("red.release.sys.global.add", "red.release.sys.global.max", "global.max.u64, which no operation"),
        ("@%differs bra again;", "", "wait of entered (line 14) loads once"),
        ("setp.ne.b64 %differs, %found", "setp.ne.b64 %differs, %rd9", "loads once"),
        ("@%first st.release", "st.release", "set of entered at a peer (line 12) is done by every thread"),
        ("@%first red.release", "red.release", "add of send_ready at a peer (line 25) is done by every thread"),
        ("@%p19 st.global", "st.global", "store of epochs (line 31) is done by every thread"),
        ("add.s64 	%rd32, %rd2, %rd31;", "add.s64 	%rd32, %rd2, %rd9;", "1: store of C"),
        ("add.s64 	%rd13, %rd4, %rd12;", "add.s64 	%rd13, %rd3, %rd12;", "0 of 1: set of entered"),
        ("add.s64 	%rd32, %rd2, %rd31;", "add.s64 	%rd32, %rd2, %rd1;", "of A or C, which no operation"),
        ("bar.sync 	0;", "bar.sync 	1;", "bar.sync, which no operation"),
        ("	ret;", "	trap;", "trap, which no operation"),
        ("	ret;", "	fence.acq_rel.gpu;\n	ret;", "fence.acq_rel.gpu, which no operation"),
    ],
)
def test_an_operation_that_is_another(old, new, said):
    assert old in PTX
    found = faults(PTX.replace(old, new, 1))
    assert any(said in fault for fault in found), found


def test_a_launch_counted_before_all_have_read_its_number():
    """The barrier is there, but on one of two paths alone."""
    skipped = PTX.replace("	bar.sync 	0;", "	@%p15 bra 	$L__BB0_4;\n	bar.sync 	0;")
    found = faults(skipped)
    assert any("count the launch (line 31) before another reads its number (line 10)" in f for f in found), found
    assert any("may overtake the store of C at a peer (line 21)" in f for f in found), found


def test_operations_in_another_order_of_the_text():
    """Both are there, with each other's lines."""
    turned = PTX.replace("peers:14:56", "peers:99:1").replace("peers:21:91", "peers:14:56")
    turned = turned.replace("peers:99:1", "peers:21:91")
    assert "the store of C at a peer is in the place of: wait of entered" in faults(turned)


def test_a_branch_to_nowhere_and_a_kernel_that_is_not_there():
    with pytest.raises(ValueError, match="nowhere"):
        blocks(PTX.replace("bra 	$L__BB0_3", "bra 	$L__BB0_9"), "swap_direct")
    with pytest.raises(ValueError, match="no kernel other"):
        blocks(PTX, "other")
