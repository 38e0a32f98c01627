"""Kernels that load their first tile before they wait for other ranks: right with more cores than tasks, and whatever
lets a store come before that wait is found."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import search
from a2agen.engines.setups import Setup
from a2agen.passes.check import check
from a2agen.source import Source

SPECS = Path(__file__).parents[3] / "specs"
SETUPS = {
    "reverse_all2all": (Setup({"W": 3, "S": 21, "H": 2, "D": 300}, 4), Setup({"W": 2, "S": 1, "H": 1, "D": 1}, 8)),
    # Two axes around what lies together, of which the outer one is in no tile.
    "heads_to_sequence": (Setup({"W": 3, "B": 2, "S": 3, "N": 1, "D": 5}, 9),),
}
WAIT = re.compile(r"        # before the first store: .*\n        if task == pid:\n(?:(?:            .*)?\n)+")
STORE = re.compile(r"        tl\.store\((?:\n            .*\n        )?.*\)\n")


@cache
def direct(exchange: str) -> Program:
    """The schedule `direct` with the number of cores of its class, whether or not there is a task for each."""
    path = SPECS / f"{exchange}.a2a"
    checked = check(Source(path.name, path.read_text(encoding="utf-8")))
    program = program_of(checked, next(s for s in checked.schedules if s.name == "direct"))
    launcher = program.launcher.replace("        cores = self.cores\n", "        cores = self._cores = self.cores\n")
    assert launcher != program.launcher
    return replace(program, launcher=launcher)


def moved(kernel: str) -> str:
    """The wait behind the store."""
    (wait,), (store,) = WAIT.findall(kernel), STORE.findall(kernel)
    assert kernel.index("tl.load(A_tile") < kernel.index(wait) < kernel.index(store)
    return kernel.replace(wait, "").replace(store, store + wait)


@pytest.mark.parametrize("exchange", SETUPS)
def test_more_cores_than_tasks(exchange):
    outcome = search(direct(exchange), SETUPS[exchange], interleavings=6)
    assert outcome.verified, (outcome.error, outcome.findings)


TASKS = "tiles_s * tiles_run * W"
EDITS = {
    "store before wait": moved,
    "no wait": lambda kernel: WAIT.sub("", kernel),
    "pointer not bound to the wait": lambda kernel: kernel.replace("dl.consume_token(C, admitted)", "C"),
    "idle cores do not wait": lambda kernel: kernel.replace(f"tl.maximum({TASKS}, cores)", TASKS),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_store_that_does_not_come_after_the_wait_is_found(edit):
    program = direct("reverse_all2all")
    kernel = EDITS[edit](program.kernel)
    assert kernel != program.kernel
    outcome = search(replace(program, kernel=kernel), SETUPS["reverse_all2all"], interleavings=12)
    assert not outcome.verified
    assert outcome.error is None
    kinds = {finding.kind for finding in outcome.findings}
    assert kinds & {"race", "deadlock", "unused-token", "lost-signal"}, kinds


def test_an_empty_task_that_is_not_masked_is_found():
    program = direct("heads_to_sequence")
    kernel = program.kernel.replace("mask = (b < B) & ", "mask = ")
    assert kernel != program.kernel
    found = search(replace(program, kernel=kernel), SETUPS["heads_to_sequence"], interleavings=6).findings
    assert "out-of-bounds" in {finding.kind for finding in found}
