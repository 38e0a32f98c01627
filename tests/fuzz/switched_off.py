"""What a spec does that one rule alone refuses, when that rule is switched off: lowered, emitted and simulated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal
from unittest import mock

from a2agen.emit.unsupported import unsupported
from a2agen.engines.ascendc.run import Job
from a2agen.engines.cpu.program import Program
from a2agen.engines.setups import Setup
from a2agen.engines.small import small_setups
from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import check as checking
from a2agen.passes.check import Checked, check
from a2agen.passes.rules.registry import rules
from a2agen.source import Source
from tests.fuzz.dealing import dealt_otherwise
from tests.fuzz.judge import TooLong, limit
from tests.fuzz.running import program, run
from tests.fuzz.shapes import MOST_ALONE, few_tasks, tasks

FAMILIES = "456"
LAUNCHES = 5
# Of processor time; what takes longer is not judged.
SECONDS = 60.0
# Interleavings where the simulator is not expected to see what the rule is about.
FEW = 8
Verdict = Literal["misbehaves", "right", "no plan", "not emitted", "does not load", "too long", "refused by others too"]

LIMITS = {
    "A404": "two vector cores of Ascend start together; the simulator starts any number",
    "A405": "how many cores run at a time, and the pool of a barrier",
    "A505": "the size of the symmetric heap",
    "A506": "the on-chip memory of a core",
    "A511": "the on-chip memory of a core, and the places of a queue",
    "A610": "the size of the symmetric heap",
}
"""Rules about what a machine has and the simulator has without end."""

CLAUSES = {
    "A402": "the lowering gives cores of two roles the phases of both, in the order of the text",
    "A408": "a role that has no cores of its own shares those of its class",
    "A409": "tiles and shares that are said of the host are left out",
    "A502": "`free barrier` where nothing is freed is left out",
    "A504": "the rows of an overlay lie as those of its host, in whatever order its own axes are written",
    "A508": "an alignment that slabs cannot have is left out",
    "A509": "without blocks there is one",
}
"""Rules about clauses that the language gives no meaning to in their place: the kernel is one without the clause."""


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
    if code in LIMITS | CLAUSES:
        interleavings = min(interleavings, FEW)
    try:
        refused = unsupported(schedule, source)
        if refused:
            return Trial(code, "not emitted", refused[0].message)
        made = program(checked, schedule)
        setups = harsh_setups(schedule)
    except Exception as failure:
        return Trial(code, "no plan", f"{type(failure).__name__}: {failure}")
    try:
        with limit(SECONDS):
            return _search(code, made, setups, interleavings)
    except TooLong:
        return Trial(code, "too long")


def _search(code: str, made: Program | Job, setups: tuple[Setup, ...], interleavings: int) -> Trial:
    if not setups:
        return Trial(code, "too long", "no small shape")
    deals = (made, replace(made, kernel=dealt_otherwise(made.kernel))) if isinstance(made, Program) else (made,)
    for seed in range(interleavings):
        # Each setup by even and odd seeds, which are two kinds of interleavings, in turn with both kernels.
        setup, dealt = setups[seed % len(setups)], deals[seed // len(setups) % len(deals)]
        outcome = run(dealt, (setup,), launches=LAUNCHES, interleavings=1, seed=seed)
        if outcome.error is not None:
            return Trial(code, "does not load", outcome.error)
        if not outcome.verified:
            found = outcome.findings[0]
            return Trial(code, "misbehaves", f"{found.kind}: {found.text}", seed + 1)
    return Trial(code, "right", str(setups), interleavings)


def harsh_setups(schedule: Schedule) -> tuple[Setup, ...]:
    """The simulator's own setups, smaller ones where all of those are large; those again with the spec's own number of
    cores, where it has one, and with as many ranks as it admits, up to where each core has a peer of its own and more.

    The time limit keeps the larger ones from taking too long: small ones have fewer blocks and tiles, and show less.
    """
    setups = [s for s in small_setups(schedule) if tasks(schedule, s.values) <= MOST_ALONE]
    setups = setups or list(few_tasks(schedule))
    exchange = schedule.exchange
    ranks = next(e for e in exchange.bounds.extents if e.name == exchange.ranks)
    if schedule.cores is not None and setups:
        own = [Setup(s.values, schedule.cores) for s in setups]
        most = setups[-1].values | {exchange.ranks: max(ranks.lo, min(ranks.hi, schedule.cores + 2))}
        more = [Setup(most, schedule.cores)] if exchange.bounds.admits(most) else []
        # The most ranks first: that is where cores run out.
        setups = [*more, *own, *setups]
    return tuple(s for n, s in enumerate(setups) if s not in setups[:n])
