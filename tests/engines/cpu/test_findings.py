"""Each kind of finding: a kernel that has it, and one next to it that has not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from a2agen.engines.cpu import KINDS, simulate
from a2agen.engines.cpu.program import Axes
from a2agen.ir.expr import Const, Sym
from tests.engines.cpu.programs import Vendor
from tests.engines.cpu.small import kinds, line_of, run, small

WAIT = 'dl.wait(words, 1, "sys", "acquire", waitValue={})'
# A wait whose token orders a store to a place of the core alone.
UNTIL = f"tl.store(dl.consume_token(scratch + 32 + pid, {WAIT}), 0)"
SET = 'dl.notify(words, rank, signal={}, sig_op="set", comm_scope="intra_node")'
ADD = 'dl.notify(words, rank, signal=1, sig_op="add", comm_scope="intra_node")'
PUT = "libshmem_device.putmem(P + {row} * D, A + {row} * D, D * 2, {to})"

# A word for each of two cores.
OWN_WORD = (f"if pid < 2:\n    {SET.format(1)}\n    {UNTIL.format(1)}\n    {SET.format(0)}").replace(
    "words", "words + pid * {stride}"
)

# kind, vendor, what has it, what has not
CASES: list[tuple[str, Vendor, str, str]] = [
    (
        "race",
        "ascend",
        "tl.store(scratch, pid)",
        "tl.store(scratch + pid, pid)",
    ),
    (
        "race",
        "ascend",
        f"if pid == 0:\n    tl.store(scratch, 1)\n    {SET.format(1)}\n"
        f"if pid == 1:\n    t = {WAIT.format(1)}\n    x = tl.load(dl.consume_token(scratch, t))\n    {SET.format(0)}",
        f"if pid == 0:\n    tl.store(scratch, 1)\n    libshmem_device.fence()\n    {SET.format(1)}\n"
        f"if pid == 1:\n    t = {WAIT.format(1)}\n    x = tl.load(dl.consume_token(scratch, t))\n    {SET.format(0)}",
    ),
    # Three readers: the writer must come after every one of them.
    (
        "race",
        "ascend",
        "if rank == 0:\n    x = tl.load(A)\nif rank == 0 and pid == 2:\n    tl.store(A, tl.load(A))",
        "x = tl.load(A)\nlibshmem_device.barrier_all()\nif rank == 0 and pid == 2:\n    tl.store(A, tl.load(A))",
    ),
    (
        "race",
        "nvidia",
        f"if pid == 0:\n    tl.store(scratch, 1)\n    libshmem_device.fence()\n    {SET.format(1)}\n"
        f"if pid == 1:\n    t = {WAIT.format(1)}\n    x = tl.load(dl.consume_token(scratch, t))\n"
        f"    tl.debug_barrier()\n    {SET.format(0)}",
        f"if pid == 0:\n    tl.store(scratch, 1)\n    tl.debug_barrier()\n    {SET.format(1)}\n"
        f"if pid == 1:\n    t = {WAIT.format(1)}\n    x = tl.load(dl.consume_token(scratch, t))\n"
        f"    tl.debug_barrier()\n    {SET.format(0)}",
    ),
    (
        "deadlock",
        "ascend",
        UNTIL.format(7),
        UNTIL.format(0),
    ),
    ("endless", "ascend", "x = 0\nfor i in range(2**40):\n    x += 1", "x = 0\nfor i in range(2**15):\n    x += 1"),
    ("deadlock", "ascend", "if pid < 2:\n    libshmem_device.barrier_all()", "libshmem_device.barrier_all()"),
    ("out-of-bounds", "ascend", "x = tl.load(A + W * D)", "x = tl.load(A + W * D - 1)"),
    ("out-of-bounds", "ascend", "x = tl.load(A + offs)\nx = tl.load(A + D + offs)", "x = tl.load(A + offs)"),
    ("out-of-bounds", "ascend", "if pid == 0:\n    tl.store(scratch - 1, 1)", "if pid == 0:\n    tl.store(scratch, 1)"),
    ("out-of-bounds", "ascend", "x = dl.symm_at(P, W)", "x = dl.symm_at(P, W - 1)"),
    ("uninitialised", "ascend", "x = tl.load(scratch + pid)", "tl.store(scratch + pid, 1)\nx = tl.load(scratch + pid)"),
    (
        "uninitialised",
        "ascend",
        "if pid == 0:\n    tl.store(scratch + offs, offs, mask=offs < 7)\n"
        "    x = tl.load(scratch + offs, mask=offs < 8)",
        "if pid == 0:\n    tl.store(scratch + offs, offs, mask=offs < 7)\n"
        "    x = tl.load(scratch + offs, mask=offs < 7)",
    ),
    (
        "lost-signal",
        "ascend",
        f"if pid == 0:\n    {SET.format(1)}\n    {SET.format(0)}",
        f"if pid == 0:\n    {SET.format(1)}\n    {UNTIL.format(1)}\n    {SET.format(0)}",
    ),
    ("shared-line", "ascend", OWN_WORD.format(stride=1), OWN_WORD.format(stride=8)),
    (
        "shared-queue",
        "ascend",
        f"if pid < 2:\n    {PUT.format(row='(1 - rank)', to='1 - rank')}\n    libshmem_device.quiet()\n"
        "libshmem_device.barrier_all()",
        f"if pid < 1:\n    {PUT.format(row='(1 - rank)', to='1 - rank')}\n    libshmem_device.quiet()\n"
        "libshmem_device.barrier_all()",
    ),
    (
        "put-to-self",
        "ascend",
        f"if pid == 0:\n    {PUT.format(row='rank', to='rank')}\n    libshmem_device.quiet()\n"
        "libshmem_device.barrier_all()",
        f"if pid == 0:\n    {PUT.format(row='(1 - rank)', to='1 - rank')}\n    libshmem_device.quiet()\n"
        "libshmem_device.barrier_all()",
    ),
    ("add-stored", "ascend", f"if pid == 0:\n    {ADD}", "pass"),
    ("not-symmetric", "ascend", "x = dl.symm_at(C, 1 - rank)", "x = dl.symm_at(P, 1 - rank)"),
    (
        "stale-wait",
        "nvidia",
        f"if pid == 0:\n    {UNTIL.format(0)}\n    {SET.format(1)}\n    tl.debug_barrier()\n"
        f"    {UNTIL.format(1)}\n    tl.debug_barrier()\n    {SET.format(0)}",
        f"if pid == 0:\n    {UNTIL.format(0)}\n    tl.debug_barrier()\n    {SET.format(1)}\n"
        f"    tl.debug_barrier()\n    {UNTIL.format(1)}\n    tl.debug_barrier()\n"
        f"    {SET.format(0)}",
    ),
    (
        "stale-read",
        "nvidia",
        "tl.store(scratch + pid, 1)\ntl.debug_barrier()\nn = tl.load(scratch + pid)\ntl.store(scratch + pid, n + 1)",
        "tl.store(scratch + pid, 1)\ntl.debug_barrier()\nn = tl.load(scratch + pid)\ntl.debug_barrier()\n"
        "tl.store(scratch + pid, n + 1)",
    ),
    (
        "unused-token",
        "ascend",
        f"x = {WAIT.format(0)}",
        UNTIL.format(0),
    ),
    (
        "unused-token",
        "ascend",
        f"seen = {WAIT.format(0)}\nseen += {WAIT.format(0)}",
        f"seen = {WAIT.format(0)}\nseen += {WAIT.format(0)}\ntl.store(dl.consume_token(scratch + 32 + pid, seen), 0)",
    ),
    # The sum of tokens comes after each wait, and a number alone after none.
    (
        "race",
        "ascend",
        f"if pid == 0:\n    tl.store(scratch, 1)\n    libshmem_device.fence()\n    {SET.format(1)}\n"
        f"if pid == 1:\n    seen = 0\n    P = dl.consume_token(P, {WAIT.format(1)})\n"
        f"    x = tl.load(dl.consume_token(scratch, seen))\n    {SET.format(0)}",
        f"if pid == 0:\n    tl.store(scratch, 1)\n    libshmem_device.fence()\n    {SET.format(1)}\n"
        f"if pid == 1:\n    seen = 0\n    for i in range(2):\n        seen += {WAIT.format(1)}\n"
        f"    x = tl.load(dl.consume_token(scratch, seen))\n    {SET.format(0)}",
    ),
    ("int32-overflow", "ascend", "x = A + D * 2**31", "x = A + tl.cast(D, tl.int64) * 2**31"),
    ("int32-overflow", "ascend", "x = A + offs * 2**31 + 2**31", "x = A + (offs + D.to(tl.int64) * 2**31)"),
    (
        "wrong-output",
        "ascend",
        "if pid == 0:\n    tl.store(C, tl.load(C + 1))",
        "if pid == 0:\n    tl.store(C, tl.load(C))",
    ),
]


@pytest.mark.parametrize(("kind", "vendor", "bad", "good"), CASES, ids=[f"{c[0]}-{n}" for n, c in enumerate(CASES)])
def test_a_kind_is_found_where_it_is_and_nothing_where_it_is_not(
    kind: str, vendor: Vendor, bad: str, good: str
) -> None:
    faulty = run(small(bad, vendor=vendor))
    assert kind in kinds(faulty)
    assert not faulty.verified
    assert kind in KINDS
    sound = run(small(good, vendor=vendor))
    assert kinds(sound) == set()
    assert sound.verified


def test_every_kind_has_a_case() -> None:
    # Those of real GPUs, which the program here is not for, are in test_calls.py.
    assert {case[0] for case in CASES} == set(KINDS) - {"rank-barrier", "beyond-node"}


def test_an_add_adds_where_the_target_can() -> None:
    snippet = f"if pid < 2:\n    {ADD}\nif pid == 2:\n    {UNTIL.format(2)}"
    assert run(small(snippet, vendor="nvidia"), launches=1).verified
    assert "deadlock" in kinds(run(small(snippet, vendor="ascend"), launches=1))


def test_a_deadlock_names_core_word_values_and_last_writer() -> None:
    program = small(f"if pid == 1:\n    {UNTIL.format(3)}")
    (finding,) = run(program, interleavings=1).findings
    line = line_of(program, "waitValue=3")
    assert finding.line == line
    assert (finding.rank, finding.core) == (0, 1)
    assert finding.text.startswith("2 of 6 cores blocked. ")
    assert f"line {line}: rank " in finding.text
    assert "rank 0 core 1 waits for words[0] at rank 0 to be 3, it is 0; last writer: rank 0's stream" in finding.text


def test_a_race_names_both_sides() -> None:
    program = small("tl.store(scratch, pid)")
    finding = run(program, interleavings=1).findings[0]
    line = line_of(program, "tl.store(scratch, pid)")
    assert finding.kind == "race"
    assert finding.line == line
    assert f"write of scratch[0] at rank {finding.rank} by rank {finding.rank} core {finding.core}" in finding.text
    assert finding.text.count(f"(line {line})") == 2


def test_a_finding_is_reported_once_and_its_seed_shows_it_again() -> None:
    program = small("tl.store(scratch, pid)")
    outcome = run(program, interleavings=6, seed=11)
    races = [f for f in outcome.findings if f.kind == "race"]
    assert len(races) == 1
    assert races[0].seed is not None
    assert races[0] in run(program, interleavings=1, seed=races[0].seed).findings


PASS_ON = f"""\
if pid == 0:
    tl.store(scratch, 1)
    {{fence}}
    {SET.format(1)}
if pid == 1:
    t = {WAIT.format(1)}
    x = tl.load({{pointer}})
    libshmem_device.fence()
    {SET.format(0)}
"""
FENCE, NO_FENCE = "libshmem_device.fence()", "pass"
TOKEN, NO_TOKEN = "dl.consume_token(scratch, t)", "scratch"


@pytest.mark.parametrize(
    ("fence", "pointer", "cause"),
    [
        (NO_FENCE, TOKEN, ": no fence stands between that write and the notify on line {notify}"),
        (FENCE, NO_TOKEN, ": the access does not consume the token of the wait on line {wait}"),
    ],
)
def test_a_race_says_what_is_missing(fence: str, pointer: str, cause: str) -> None:
    program = small(PASS_ON.format(fence=fence, pointer=pointer))
    races = [f for f in run(program, launches=1).findings if f.kind == "race"]
    lines = {"notify": line_of(program, "signal=1"), "wait": line_of(program, "t = dl.wait")}
    assert races[0].text.endswith(cause.format(**lines))
    assert run(small(PASS_ON.format(fence=FENCE, pointer=TOKEN)), launches=1).verified


def test_a_race_without_a_notify_between_gives_no_cause() -> None:
    finding = run(small("tl.store(scratch, pid)"), interleavings=1).findings[0]
    assert finding.text.endswith(")")


def test_a_deadlock_names_the_last_writer_without_checks_too() -> None:
    program = small(f"if pid == 0:\n    {SET.format(5)}\nif pid == 1:\n    {UNTIL.format(3)}")
    values = {"W": 2, "S": 1, "D": 9}
    (finding,) = simulate(program, values, checked=False).findings
    line = line_of(program, "signal=5")
    assert f"to be 3, it is 5; last writer: rank 0 core 0 (line {line})" in finding.text
    unwritten = small(f"if pid == 1:\n    {UNTIL.format(3)}")
    (finding,) = simulate(unwritten, values, checked=False).findings
    assert "to be 3, it is 0; nobody has notified it" in finding.text


def test_places_are_coordinates_where_the_axes_are_known() -> None:
    deadlock = UNTIL.format(3).replace("words", "words + 40")
    program = small(f"if pid == 1:\n    {deadlock}")
    axes = (("slot", Const(2)), ("from", Sym("W")), ("core", Const(2)))
    for known, place in (
        (Axes("words", axes, 8), "words[slot 1, from 0, core 1]"),
        # Not this tensor's size, and between the words.
        (Axes("words", axes[1:], 8), "words[40]"),
        (Axes("words", (("slot", Const(4)),), 16), "words[40]"),
    ):
        (finding,) = run(replace(program, axes=(known,)), interleavings=1).findings
        assert f"waits for {place} at rank 0" in finding.text
