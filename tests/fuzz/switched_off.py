"""What a spec does that one rule alone refuses, when that rule is switched off: lowered, emitted and simulated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal
from unittest import mock

from a2agen.emit.unsupported import unsupported
from a2agen.engines.ascendc.run import Job
from a2agen.engines.cpu.program import Program
from a2agen.engines.setups import Setup
from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes import check as checking
from a2agen.passes.check import Checked, check
from a2agen.passes.rules.registry import rules
from a2agen.source import Source
from tests.fuzz.running import program, run
from tests.fuzz.shapes import few_tasks

FAMILIES = "456"
LAUNCHES = 5
Verdict = Literal["misbehaves", "right", "no plan", "not emitted", "does not load", "refused by others too"]


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a refused spec: `detail` is the first finding of the simulator, or why nothing was run."""

    code: str
    verdict: Verdict
    detail: str = ""
    interleavings: int = 0

    @property
    def misbehaves(self) -> bool:
        return self.verdict == "misbehaves"


@contextmanager
def without(code: str) -> Iterator[None]:
    """Check as if there were no rule of that code."""
    left = tuple(rule for rule in rules() if rule.code != code)
    with mock.patch.object(checking, "rules", return_value=left):
        yield


def refused_by(checked: Checked) -> str | None:
    """The one rule about cores, buffers or synchronisation whose errors are all that a spec has; None otherwise."""
    codes = {f.code for f in checked.findings if f.severity is Severity.ERROR}
    if len(codes) != 1:
        return None
    (code,) = codes
    return code if code[1] in FAMILIES else None


def attempt(source: Source, code: str, interleavings: int) -> Trial:
    """Run the first schedule of a spec that only `code` refuses, in so many interleavings, until something is found."""
    with without(code):
        checked = check(source)
    if any(f.severity is Severity.ERROR for f in checked.findings):
        return Trial(code, "refused by others too", " ".join(sorted({f.code for f in checked.findings})))
    schedule = checked.schedules[0]
    try:
        refused = unsupported(schedule, source)
        if refused:
            return Trial(code, "not emitted", refused[0].message)
        made = program(checked, schedule)
        setups = harsh_setups(schedule)
    except Exception as failure:
        return Trial(code, "no plan", f"{type(failure).__name__}: {failure}")
    return _search(code, made, setups, interleavings)


def _search(code: str, made: Program | Job, setups: tuple[Setup, ...], interleavings: int) -> Trial:
    for seed in range(interleavings):
        setup = setups[seed % len(setups)]
        outcome = run(made, (setup,), launches=LAUNCHES, interleavings=1, seed=seed)
        if outcome.error is not None:
            return Trial(code, "does not load", outcome.error)
        if not outcome.verified:
            found = outcome.findings[0]
            return Trial(code, "misbehaves", f"{found.kind}: {found.text}", seed + 1)
    return Trial(code, "right", str(setups), interleavings)


def harsh_setups(schedule: Schedule) -> tuple[Setup, ...]:
    """The simulator's own setups; the most ranks and the spec's own cores; ..."""
    setups = list(few_tasks(schedule))
    exchange = schedule.exchange
    ranks = next(e for e in exchange.bounds.extents if e.name == exchange.ranks)
    if schedule.cores is not None:
        setups += [Setup(s.values, schedule.cores) for s in setups]
        few = setups[0].values | {exchange.ranks: ranks.hi}
        if exchange.bounds.admits(few):
            setups.append(Setup(few, analysis.launch_cores(schedule)))
    return tuple(s for n, s in enumerate(setups) if s not in setups[:n])
