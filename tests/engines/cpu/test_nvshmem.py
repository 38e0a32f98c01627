"""Puts of a GPU: every protocol is right when they arrive late, and what a kernel may not leave out is found."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import Outcome, search, simulate
from a2agen.engines.small import small_setups
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.source import Source
from tests.fuzz.removals import removals
from tests.passes.lower import matrix


def texts() -> dict[str, str]:
    """Announced by a signal, and by a word behind a quiet; of a put that is whole, and of runs that cores share."""
    return {
        "signal": matrix.afar("signal per block", "credit per peer", "epoch", "even, one per peer", split=False),
        "signal, halves": matrix.afar("signal per block", "none", "epoch", "even", split=False),
        "signal, cleared": matrix.afar("signal per peer", "none", "reset", "even", split=False, block=False),
        "notify": matrix.afar("notify per block", "credit per peer", "epoch", "even, one per peer", split=False),
        "notify, cleared": matrix.afar("notify per peer", "none", "reset", "even", split=False, block=False),
        "shared": matrix.afar("notify per peer", "credit per peer", "epoch", "even", split=True, block=False),
        "shared by blocks": matrix.afar("notify per block", "credit per peer", "epoch", "even", split=True),
    }


@cache
def compiled(name: str) -> tuple[Schedule, Program]:
    checked = check(Source("swap.a2a", texts()[name]))
    (schedule,) = checked.schedules
    return schedule, program_of(checked, schedule)


@pytest.mark.parametrize("name", texts())
def test_it_is_right_in_every_shape(name: str) -> None:
    schedule, program = compiled(name)
    outcome = search(program, small_setups(schedule), interleavings=8)
    assert outcome.verified, outcome.findings


def reported(program: Program, schedule: Schedule, kernel: str) -> bool:
    """Whether a kernel is found at fault in one of the small shapes. Some of what orders is needed in one alone: where
    there are several blocks, the words of one order what the quiet at the end does where there is one."""
    for setup in small_setups(schedule):
        for seed in range(0, 12, 3):
            run = replace(program, kernel=kernel)
            outcome = simulate(run, setup.values, cores=setup.cores, launches=4, interleavings=3, seed=seed)
            assert outcome.error is None
            if not outcome.verified:
                return True
    return False


@pytest.mark.parametrize("name", ["signal", "notify", "shared"])
def test_everything_that_orders_is_missed(name: str) -> None:
    schedule, program = compiled(name)
    found = {(r.operation, r.line): reported(program, schedule, r.text) for r in removals(program.kernel)}
    assert {"quiet", "wait", "consume_token", "debug_barrier", "notify"} <= {operation for operation, _ in found}
    assert ("signal" in {operation for operation, _ in found}) is (name == "signal")
    assert [place for place, noticed in found.items() if not noticed] == []


def edited(name: str, *changes: tuple[str, str]) -> Outcome:
    """What the engine says of a kernel with each text in place of another, which has to be there."""
    schedule, program = compiled(name)
    kernel = program.kernel
    for old, new in changes:
        assert old in kernel, old
        kernel = kernel.replace(old, new)
    return search(replace(program, kernel=kernel), small_setups(schedule), interleavings=8)


def test_a_fence_of_one_thread_does_not_speak_for_all() -> None:
    (indent,) = {line[: -len(line.lstrip())] for line in compiled("shared")[1].kernel.split("\n") if "quiet()" in line}
    quieted = f"libshmem_device.quiet()\n{indent}tl.debug_barrier()"
    assert not edited("shared", (quieted, f"tl.debug_barrier()\n{indent}libshmem_device.fence()")).verified
    assert edited("shared", (quieted, f"{quieted}\n{indent}libshmem_device.fence()")).verified


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("libshmem_device.NVSHMEM_SIGNAL_SET", "9", "it is NVSHMEM_SIGNAL_SET or NVSHMEM_SIGNAL_ADD"),
        ("exchange_ready + (", "pack_ready + (", "it takes uint64"),
    ],
)
def test_what_no_library_takes_is_an_error(old: str, new: str, said: str) -> None:
    _, program = compiled("signal")
    before, put, after = program.kernel.partition("libshmem_device.putmem_signal_nbi_block(")
    kernel = before + put + after.replace(old, new, 1)
    values = {"W": 3, "S": 5, "H": 2, "D": 5}
    outcome = simulate(replace(program, kernel=kernel), values, cores=8, launches=1, interleavings=1)
    assert said in str(outcome.error)


def test_a_signal_that_adds_counts() -> None:
    """The word of a launch is then the sum of all so far: right in the first launch alone."""
    _, program = compiled("signal")
    kernel = program.kernel.replace("NVSHMEM_SIGNAL_SET", "NVSHMEM_SIGNAL_ADD")
    values = {"W": 3, "S": 5, "H": 2, "D": 5}
    added = replace(program, kernel=kernel)
    assert simulate(added, values, cores=8, launches=1, interleavings=2).verified
    assert {f.kind for f in simulate(added, values, cores=8, launches=2, interleavings=2).findings} == {"deadlock"}
