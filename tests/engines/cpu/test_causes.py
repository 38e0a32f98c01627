"""What a race names as missing, in a generated kernel of a GPU that waits for other ranks within its loop."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import search
from a2agen.engines.setups import Setup
from a2agen.passes.check import check
from a2agen.source import Source
from tests.engines.cpu import small
from tests.straight import straight

SPEC = """\
exchange disp {
  ranks W in 2..8
  dim   S in 1..1024
  dim   D in 1..7168
  in  A : bf16 [(to S) D]
  out C : bf16 [S (from D)]
}
""" + straight("disp", "ld", "ldst tile D 64")
SETUPS = (Setup({"W": 3, "S": 2, "D": 97}, 3),)
MEET = "    tl.debug_barrier()\n"


@cache
def generated() -> Program:
    checked = check(Source("disp.a2a", SPEC))
    (schedule,) = checked.schedules
    return program_of(checked, schedule)


def races(kernel: str) -> list[str]:
    """The texts of the races in an edited kernel."""
    outcome = search(replace(generated(), kernel=kernel), SETUPS, interleavings=4)
    assert outcome.error is None
    return [finding.text for finding in outcome.findings if finding.kind == "race"]


def line_of(kernel: str, text: str, nth: int = 0) -> int:
    return [n for n, line in enumerate(kernel.splitlines(), 1) if text in line][nth]


def without_meeting() -> str:
    kernel = generated().kernel
    assert kernel.count(MEET) == 1
    return kernel.replace(MEET, "")


def announced_before_meeting() -> str:
    """The barrier behind the notifies, where it comes too late for them."""
    kernel = without_meeting()
    place = "    # every row of C has arrived\n"
    assert kernel.count(place) == 1
    return kernel.replace(place, MEET + place)


def test_nothing_is_missing_in_the_kernel_as_it_is() -> None:
    assert search(generated(), SETUPS, interleavings=4).verified


def test_a_missing_barrier_is_told_by_the_notify_and_not_by_a_wait_on_the_way_to_it() -> None:
    for kernel in (without_meeting(), announced_before_meeting()):
        notify = line_of(kernel, "dl.notify(", 1)
        assert line_of(kernel, "dl.wait(entered") < line_of(kernel, "dl.wait(entered", 1) < notify
        named = [
            re.search(r"no tl.debug_barrier\(\) stands between that write and the notify on line (\d+)$", text)
            for text in races(kernel)
        ]
        assert {int(found[1]) for found in named if found} == {notify}


ENTERED, ARRIVED = '"sys", "acquire", waitValue=epoch)', '"sys", "acquire", waitValue=epoch * cores)'
WEAK = ('"gpu", "acquire"', '"cta", "acquire"', '"sys", "relaxed"', '"gpu", "relaxed"')
CAUSE = re.compile(r": the wait on line (\d+) does not acquire it, by semantic and scope of the two$")


def weakened(wait: str, nth: int, words: str) -> tuple[str, int]:
    """The kernel with other words in the nth wait of those that end so, and its line."""
    lines = generated().kernel.split("\n")
    line = line_of(generated().kernel, wait, nth)
    lines[line - 1] = lines[line - 1].replace('"sys", "acquire"', words)
    return "\n".join(lines), line


@pytest.mark.parametrize("words", WEAK)
@pytest.mark.parametrize(
    ("wait", "nth", "access"),
    [
        (ARRIVED, 0, "(the user's read of C) is not ordered after the write by"),
        (ENTERED, 0, "is not ordered after the read by rank"),
        (ENTERED, 1, "notify of send_ready"),
    ],
    ids=["user's read", "write after the user's read", "notify after a wait"],
)
def test_a_race_for_a_weakened_wait_names_the_wait(wait: str, nth: int, access: str, words: str) -> None:
    kernel, line = weakened(wait, nth, words)
    found = races(kernel)
    assert any(access in text for text in found)
    for text in found:
        cause = CAUSE.search(text)
        assert cause is not None, text
        assert int(cause[1]) == line


def test_a_race_that_no_wait_would_order_names_none() -> None:
    last = generated().kernel.splitlines()[line_of(generated().kernel, ARRIVED) - 1]
    found = races(generated().kernel.replace(last, last.replace(last.strip(), "pass")))
    assert any("(the user's read of C) is not ordered after the write by" in text for text in found)
    assert not any(CAUSE.search(text) for text in found)


ONE_FOR_ANOTHER = """\
if rank == 0:
    if pid == 0:
        tl.store(dl.symm_at(P, 1), 1.0)
        tl.debug_barrier()
        dl.notify(words, 1, signal=1, sig_op="set", comm_scope="intra_node")
if rank == 1:
    if pid == 0:
        first = dl.wait(words, 1, "sys", "{semantic}", waitValue=1)
        dl.notify(dl.consume_token(words, first) + {word}, 1, signal=1, sig_op="set", comm_scope="gpu")
    if pid == 1:
        second = dl.wait(words + 8, 1, "gpu", "acquire", waitValue={value})
        x = tl.load(dl.consume_token(P, second))
"""


def reads(semantic: str, *, told: bool) -> tuple[list[str], int]:
    """Races of a core's read that follows another core's wait for a rank, or with `told` False does not; and the line
    of that wait."""
    word, value = (8, 1) if told else (16, 0)
    program = small.small(ONE_FOR_ANOTHER.format(semantic=semantic, word=word, value=value), vendor="nvidia")
    outcome = small.run(program, launches=1, interleavings=8)
    assert outcome.error is None
    found = [f.text for f in outcome.findings if f.kind == "race" and f.text.startswith("read of P")]
    return found, small.line_of(program, "first = ")


def test_a_wait_by_one_core_for_another_is_named_where_the_other_follows_it() -> None:
    found, line = reads("relaxed", told=True)
    assert found
    assert all(
        text.endswith(f": the wait on line {line} does not acquire it, by semantic and scope of the two")
        for text in found
    )
    assert reads("acquire", told=True)[0] == []
    apart, _ = reads("relaxed", told=False)
    assert apart
    assert not any(CAUSE.search(text) for text in apart)
