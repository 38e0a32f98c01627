"""What completes what: neither fences nor barriers look after the engine's requests; events are of two pipes."""

from __future__ import annotations

import pytest

from tests.engines.ascendc.test_handwritten import NOTIFY, QUIET, WAIT, kinds

BARRIER = "aclshmemx_barrier_all_vec();"
READERS = "        } else {\n            SetFlag"
# A barrier of all cores between the puts and the copies, in place of words.
BETWEEN = (READERS, f"            {BARRIER}\n" + READERS.replace("SetFlag", f"{BARRIER}\n            SetFlag"))


@pytest.mark.parametrize("other", ["aclshmem_fence();", "aclshmem_quiet();", "PipeBarrier<PIPE_ALL>();"])
def test_no_fence_completes_a_put(swap, other):
    outcome = swap((QUIET[0], other), interleavings=2)
    assert {"race", "source-reuse", "unfinished-put"} <= kinds(outcome)


def test_a_barrier_orders_what_quiets_have_completed(swap):
    assert swap(BETWEEN, WAIT, NOTIFY, interleavings=6).verified


def test_a_barrier_completes_no_put(swap):
    assert "race" in kinds(swap(BETWEEN, WAIT, NOTIFY, QUIET, interleavings=2))


def test_a_barrier_that_not_all_cores_reach(swap):
    first = (BETWEEN[0], f"            {BARRIER}\n{BETWEEN[0]}")
    outcome = swap(first, interleavings=2)
    (finding,) = (f for f in outcome.findings if f.kind == "deadlock")
    assert "waits in the barrier for " in finding.text


def test_what_a_scalar_store_leaves_on_chip_is_not_there_for_a_pipe_at_once(swap):
    store = "tile.SetValue(0, tile.GetValue(0));\n            DataCopyPad(to, tile, row);"
    waits = "WaitFlag<HardEvent::MTE2_MTE3>(event);"
    late = "SetFlag<HardEvent::MTE2_S>(event);\n            WaitFlag<HardEvent::MTE2_S>(event);"
    read = (waits, f"{waits}\n            {late}")
    outcome = swap(read, ("DataCopyPad(to, tile, row);", store), interleavings=2)
    assert any("no event from S to MTE3" in f.text for f in outcome.findings)
    event = "SetFlag<HardEvent::S_MTE3>(event);\n            WaitFlag<HardEvent::S_MTE3>(event);"
    ordered = store.replace("\n", f"\n            {event}\n", 1)
    assert swap(
        (waits, f"{waits}\n            {late}"), ("DataCopyPad(to, tile, row);", ordered), interleavings=4
    ).verified


def test_cores_that_poll_for_what_never_comes_are_a_deadlock(swap):
    outcome = swap((WAIT[0], "while (from != rank) { PipeBarrier<PIPE_ALL>(); }"), interleavings=1)
    assert any(f.kind == "deadlock" and "nothing has changed" in f.text for f in outcome.findings)


def test_a_wait_for_an_event_that_nothing_sets(swap):
    outcome = swap((QUIET[0], f"{QUIET[0]} WaitFlag<HardEvent::MTE2_S>(0);"), interleavings=1)
    assert any(
        f.kind == "deadlock" and "event 0 from MTE2 to S, which nothing sets" in f.text for f in outcome.findings
    )
