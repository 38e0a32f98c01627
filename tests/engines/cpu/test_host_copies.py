"""Schedules whose data the host copies: they run right, and without any one piece something is found."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from a2agen.engines.cpu import Program, simulate
from a2agen.engines.cpu.run import program_of
from a2agen.passes.check import check
from a2agen.source import Source
from tests.engines.cpu.mutants import without_one
from tests.passes.lower.matrix import hosted

SHAPE = {"W": 3, "S": 2, "H": 2, "D": 5}
FREES = {"epoch": "credit per peer", "reset": "none"}


@cache
def program(rounds: str, split: bool = False) -> Program:
    checked = check(Source("swap.a2a", hosted(FREES[rounds], rounds, split)))
    (schedule,) = checked.schedules
    return program_of(checked, schedule)


def found(one: Program, interleavings: int = 50) -> set[str]:
    """What comes up in some interleavings, each by itself until something does."""
    for seed in range(interleavings):
        outcome = simulate(one, SHAPE, cores=2, launches=3, seed=seed)
        assert outcome.error is None
        if not outcome.verified:
            return {finding.kind for finding in outcome.findings}
    return set()


@pytest.mark.parametrize("rounds", FREES)
@pytest.mark.parametrize("split", [False, True])
def test_nothing_is_found_in_what_is_emitted(rounds: str, split: bool) -> None:
    outcome = simulate(program(rounds, split), SHAPE, cores=2, launches=5, interleavings=50)
    assert (outcome.error, outcome.findings, outcome.verified) == (None, (), True)


LAYOUTS = [
    ("[S (to H) D]", "[(from S) H D]"),
    ("[H (to S) D] strided", "[S (from H) D]"),
    ("[(to S H) D]", "[from D H S]"),
    ("[S to H D] strided", "[(S H) D from]"),
]


@pytest.mark.parametrize(("source", "result"), LAYOUTS)
def test_layouts(source: str, result: str) -> None:
    """Axes in another order on the other side, a peer axis that is not the first, gaps between rows."""
    text = hosted("credit per peer", "epoch").replace("[(to S) H D]", source).replace("[S (from H) D]", result)
    checked = check(Source("swap.a2a", text))
    one = program_of(checked, checked.schedules[0])
    outcome = simulate(one, {"W": 3, "S": 4, "H": 2, "D": 5}, cores=2, launches=3, interleavings=4)
    assert (outcome.error, outcome.findings, outcome.verified) == (None, (), True)


KERNELS = [
    pytest.param(rounds, text, id=f"{rounds}: {what}")
    for rounds in FREES
    for what, text in without_one(program(rounds).kernel)
]


@pytest.mark.parametrize(("rounds", "text"), KERNELS)
def test_what_is_missing_in_a_kernel_is_found(rounds: str, text: str) -> None:
    assert found(replace(program(rounds), kernel=text))


def test_everything_that_orders_is_among_the_removed() -> None:
    removed = [what.split(" ")[0] for what, _ in without_one(program("epoch").kernel)]
    twice = ("consume_token", "debug_barrier", "notify", "wait")
    assert sorted(removed) == [name for name in twice for _ in range(2)]
    assert sorted(what.split(" ")[0] for what, _ in without_one(program("reset").kernel)) == [*twice]


@pytest.mark.parametrize("kernel", ["entry", "exit"])
def test_a_launch_that_nobody_counts_is_found(kernel: str) -> None:
    text = program("epoch").kernel
    head, name, rest = text.partition(f"def swap_one_{kernel}(")
    rest = rest.replace("tl.store(epochs + pid * 16, epoch)", "pass", 1)
    assert found(replace(program("epoch"), kernel=head + name + rest))


def test_a_late_copy_is_no_put_without_a_quiet() -> None:
    head, exit_, rest = program("epoch").kernel.partition("def swap_one_exit(")
    edited = replace(program("epoch"), kernel=head + exit_ + rest.replace('"acquire"', '"relaxed"'))
    texts = [finding.text for finding in simulate(edited, SHAPE, cores=2, launches=3, interleavings=8).findings]
    assert any("copy's write" in text for text in texts)
    assert not any("quiet" in text for text in texts)


def without(text: str, pattern: str) -> str:
    """The launcher's text without what a pattern matches in a launch."""
    head, call, rest = text.partition("    def __call__")
    edited = re.sub(pattern, "", rest, count=1, flags=re.MULTILINE | re.DOTALL)
    assert edited != rest
    return head + call + edited


LAUNCHERS = {
    "fork": ("epoch", r"^ +self\._side\.fork\(\)$", "race"),
    "join": ("epoch", r"^ +self\._side\.join\(\)$", "race"),
    "entry": ("epoch", r"^ +swap_one_entry\[.*?^        \)$", "race"),
    "exit": ("epoch", r"^ +swap_one_exit\[.*?^        \)$", "race"),
    "copy": ("epoch", r"^ +for i in .*?slabs\[to\]\)$", "uninitialised"),
    "join under reset": ("reset", r"^ +self\._side\.join\(\)$", "race"),
    "synchronize": ("reset", r"^ +ranks\.synchronize\(\)$", "race"),
    "barrier": ("reset", r"^ +ranks\.barrier\(\)$", "race"),
    "clear": ("reset", r"^ +self\._send_ready\.zero_\(\)$", "race"),
}


@pytest.mark.parametrize("what", LAUNCHERS)
def test_what_is_missing_in_the_launcher_is_found(what: str) -> None:
    rounds, pattern, kind = LAUNCHERS[what]
    one = program(rounds)
    assert kind in found(replace(one, launcher=without(one.launcher, pattern)))


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("[:, ranks.rank] for", "[:, (ranks.rank + 1) % W] for", "wrong-output"),
        ("slabs[to]", "slabs[rank]", "wrong-output"),
        ("self._C_rows[to]", "self._C_rows[rank]", "race"),
        ("ranks.peer(self._C, to)", "ranks.peer(self._C, 0)", "race"),
        ("copy(i, self._C_rows[to], slabs[to])", "copy(i, self._C_rows[to][1:], slabs[to][1:])", "uninitialised"),
    ],
)
def test_a_copy_of_other_rows_is_found(old: str, new: str, kind: str) -> None:
    one = program("epoch")
    assert old in one.launcher
    assert kind in found(replace(one, launcher=one.launcher.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("slabs[to])", "slabs[to][1:])", "shapes and types must agree"),
        ("ranks.peer(self._C, to)", "ranks.peer(self._C, to + 1)", "there is no rank 3 of 3"),
        ("workspace.symmetric((S, W * H, D)", "workspace.local((S, W * H, D)", "no tensor in symmetric memory"),
        ("side_streams(W)", "side_streams(W + 1)", "one for each rank"),
    ],
)
def test_a_launcher_that_no_device_would_run(old: str, new: str, words: str) -> None:
    one = program("epoch")
    assert old in one.launcher
    outcome = simulate(replace(one, launcher=one.launcher.replace(old, new)), SHAPE, cores=2)
    assert outcome.error is not None
    assert words in outcome.error
    assert "launcher.py" in outcome.error
