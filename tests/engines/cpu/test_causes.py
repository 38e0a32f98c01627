"""What a race names as missing, in a generated kernel of a GPU that waits for other ranks within its loop."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import search
from a2agen.engines.setups import Setup
from a2agen.passes.check import check
from a2agen.source import Source

SPEC = """\
exchange disp {
  ranks W in 2..8
  dim   S in 1..1024
  dim   D in 1..7168
  in  A : bf16 [(to S) D]
  out C : bf16 [S (from D)]
}
schedule ld for disp {
  target h200
  emit   triton_dist
  place  C symmetric
  role   mover : all
  phase send on mover {
    move  A -> C
    link  ldst
    tile  D 64
    ready notify per peer
    free  credit per peer
  }
  rounds epoch
}
"""
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
