"""Each assumption of the memory model is a switch, and turns on or off what follows from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from a2agen.engines.cpu import ASCEND, MemoryModel, simulate
from tests.engines.cpu.small import MODELS, kinds, run, small

NVIDIA = MODELS["nvidia"]

PUT = "if pid == 0:\n    libshmem_device.putmem(P + rank * D, A + (1 - rank) * D, D * 2, 1 - rank)\n"
READ = "if pid == 0:\n    x = tl.load(P + (1 - rank) * D)\n"
JOIN = "libshmem_device.barrier_all()\n"
UNFENCED_LOAD = (
    "if pid == 0:\n    x = tl.load(A)\n"
    '    dl.notify(words, rank, signal=1, sig_op="set", comm_scope="intra_node")\n'
    'if pid == 1:\n    t = dl.wait(words, 1, "sys", "acquire", waitValue=1)\n'
    "    tl.store(dl.consume_token(A, t), 0)\n"
    '    dl.notify(words, rank, signal=0, sig_op="set", comm_scope="intra_node")'
)
NO_TOKEN = UNFENCED_LOAD.replace("x = tl.load(A)", "x = tl.load(A)\n    libshmem_device.fence()").replace(
    "dl.consume_token(A, t)", "A"
)
SELF = "if pid == 0:\n    libshmem_device.putmem(P + (1 - rank) * D, A + rank * D, 2, rank)\n"
TWO_CORES = (
    "if pid < 2:\n    libshmem_device.putmem(P + rank * D + pid, A + pid, 2, 1 - rank)\n    libshmem_device.quiet()\n"
)
ADDS = (
    'if pid < 2:\n    dl.notify(words, rank, signal=1, sig_op="add", comm_scope="intra_node")\n'
    'if pid == 2:\n    tl.store(dl.consume_token(scratch + 32, dl.wait(words, 1, "sys", "acquire", waitValue=2)), 0)'
)

SAME_LINE = (
    'if pid < 2:\n    dl.notify(words + pid, rank, signal=1, sig_op="set", comm_scope="intra_node")\n'
    '    tl.store(dl.consume_token(scratch + 32 + pid, dl.wait(words + pid, 1, "sys", "acquire", waitValue=1)), 0)'
)


# snippet, model under which something is found, change under which nothing is
@pytest.mark.parametrize(
    ("snippet", "base", "change"),
    [
        (UNFENCED_LOAD, ASCEND, {"loads_need_fence": False}),
        (NO_TOKEN, ASCEND, {"strict_tokens": False}),
        (PUT + JOIN + READ + "libshmem_device.quiet()\n" + JOIN, ASCEND, {"put": "remote"}),
        (PUT + JOIN + READ + "libshmem_device.quiet()\n" + JOIN, ASCEND, {"barrier_quiets": True}),
        (PUT + "libshmem_device.fence()\n" + JOIN + READ + JOIN, ASCEND, {"fence_quiets": True}),
        (SELF + "libshmem_device.quiet()\n" + JOIN, ASCEND, {"put_to_self": True}),
        (TWO_CORES + JOIN, ASCEND, {"one_core_per_queue": False}),
        (ADDS, ASCEND, {"adds": True}),
        (SAME_LINE, ASCEND, {"line": 0}),
        (SAME_LINE, replace(NVIDIA, line=64, program_is_many_threads=False), {"line": 0}),
    ],
)
def test_a_switch_turns_a_finding_off(snippet: str, base: MemoryModel, change: dict[str, Any]) -> None:
    program = small(snippet)
    values = {"W": 2, "S": 1, "D": 9}
    assert kinds(simulate(program, values, launches=1, interleavings=4, model=base))
    assert kinds(simulate(program, values, launches=1, interleavings=4, model=replace(base, **change))) == set()


def test_a_barrier_that_does_not_fence_leaves_stores_on_their_way() -> None:
    values = {"W": 2, "S": 1, "D": 9}
    assert simulate(small(), values, interleavings=4).verified
    weaker = replace(ASCEND, barrier_fences=False)
    assert "race" in kinds(simulate(small(), values, interleavings=4, model=weaker))


@pytest.mark.parametrize(("count", "model", "right"), [(2, ASCEND, 8), (2, NVIDIA, 1)])
def test_a_wait_for_several_words_polls_at_the_stride_of_the_target(count: int, model: MemoryModel, right: int) -> None:
    snippet = (
        "if pid == 0:\n"
        '    dl.notify(words, rank, signal=1, sig_op="set", comm_scope="intra_node")\n'
        '    dl.notify(words + {stride}, rank, signal=1, sig_op="set", comm_scope="intra_node")\n'
        "if pid == 1:\n"
        f'    tl.store(dl.consume_token(scratch + 32, dl.wait(words, {count}, "sys", "acquire", waitValue=1)), 0)'
    )
    values = {"W": 2, "S": 1, "D": 9}
    for stride in (1, 8):
        outcome = simulate(small(snippet.format(stride=stride)), values, launches=1, interleavings=2, model=model)
        assert kinds(outcome) == (set() if stride == right else {"deadlock"})


def test_a_warp_polls_at_most_32_words() -> None:
    program = small(
        'tl.store(dl.consume_token(scratch + 32, dl.wait(words, 33, "sys", "acquire", waitValue=0)), 0)',
        vendor="nvidia",
    )
    error = run(program).error
    assert error is not None
    assert "a warp polls at most 32" in error


@pytest.mark.parametrize(("fence", "found"), [("libshmem_device.fence()", set()), ("pass", {"race"})])
def test_a_notify_between_nodes_needs_a_fence_of_its_own_on_a_gpu(fence: str, found: set[str]) -> None:
    snippet = (
        f"if pid == 0:\n    tl.store(scratch, 1)\n    tl.debug_barrier()\n    {fence}\n"
        '    dl.notify(words, rank, signal=1, sig_op="set", comm_scope="inter_node")\n'
        'if pid == 1:\n    t = dl.wait(words, 1, "sys", "acquire", waitValue=1)\n'
        "    x = tl.load(dl.consume_token(scratch, t))"
    )
    outcome = run(small(snippet, vendor="nvidia"), launches=1)
    assert kinds(outcome) == found


@pytest.mark.parametrize(("scope", "found"), [("intra_node", set()), ("gpu", {"deadlock"})])
def test_a_notify_of_gpu_scope_stays_on_its_rank(scope: str, found: set[str]) -> None:
    snippet = (
        f'if pid == 0 and rank == 0:\n    dl.notify(words, 1, signal=1, sig_op="set", comm_scope="{scope}")\n'
        "if pid == 1 and rank == 1:\n"
        '    tl.store(dl.consume_token(scratch + 32, dl.wait(words, 1, "sys", "acquire", waitValue=1)), 0)\n'
    )
    outcome = run(small(snippet, vendor="nvidia"), launches=1)
    assert kinds(outcome) == found


@pytest.mark.parametrize(
    ("scope", "semantic", "across", "within"),
    [
        ("sys", "acquire", set(), set()),
        ("sys", "acq_rel", set(), set()),
        ("sys", "relaxed", {"race"}, {"race"}),
        ("sys", "release", {"race"}, {"race"}),
        ("gpu", "acquire", {"race"}, set()),
        ("gpu", "relaxed", {"race"}, {"race"}),
        ("cta", "acquire", {"race"}, {"race"}),
    ],
)
def test_a_wait_acquires_as_its_semantic_and_scope_say_on_a_gpu(
    scope: str, semantic: str, across: set[str], within: set[str]
) -> None:
    for writer, found in ((1, across), (0, within)):
        snippet = (
            f"if pid == 0 and rank == {writer}:\n    tl.store(dl.symm_at(P, 0), tl.load(A))\n    tl.debug_barrier()\n"
            '    dl.notify(words, 0, signal=1, sig_op="set", comm_scope="intra_node")\n'
            "if pid == 1 and rank == 0:\n"
            f'    x = tl.load(dl.consume_token(P, dl.wait(words, 1, "{scope}", "{semantic}", waitValue=1)))'
        )
        values = {"W": 2, "S": 1, "D": 9}
        outcome = run(small(snippet, vendor="nvidia"), launches=1)
        assert kinds(outcome) == found
        hints = [f.text for f in outcome.findings if "does not acquire" in f.text]
        assert bool(hints) == bool(found)
        on_ascend = simulate(small(snippet.replace("tl.debug_barrier", "libshmem_device.fence")), values, launches=1)
        assert kinds(on_ascend) == set()
