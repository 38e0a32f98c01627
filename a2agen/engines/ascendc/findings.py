"""The findings of many runs, each once."""

from __future__ import annotations

import re

from a2agen.engines.ascendc.process import Found, Report
from a2agen.engines.cpu import findings as of_cpu
from a2agen.engines.cpu.findings import Collector, SimFinding
from a2agen.engines.setups import Setup

KINDS = {
    **{
        kind: of_cpu.KINDS[kind]
        for kind in (
            "race",
            "deadlock",
            "out-of-bounds",
            "uninitialised",
            "lost-signal",
            "shared-line",
            "shared-queue",
            "put-to-self",
            "not-symmetric",
            "wrong-output",
        )
    },
    "source-reuse": "a put's source, or its request on chip, that is written before the put has read it",
    "queue-overrun": "a request or a completion for which a queue has no room",
    "unfinished-put": "a request that has no doorbell, or that nobody waits for, when the kernel ends",
    "unmatched-event": "an event between pipes that is set twice, or set and never waited for",
    "misaligned": "a row on chip that does not start at a multiple of 32 bytes",
    "endless": "a loop of a kernel that does not end, though it goes on doing something",
    "bad-argument": "an argument that the library's function does not take",
}
"""The kinds of findings of this engine and what each means."""


class Collected:
    """Findings of several interleavings: the first of those that share kind, lines and what they are about."""

    def __init__(self) -> None:
        self._collector = Collector()

    def add(self, report: Report, at_fault: str | None, seed: int, setup: Setup) -> None:
        """Add what a run reports, and a wrong result if there is one."""
        collector = self._collector
        collector.seed, collector.shape, collector.cores = seed, setup.values, setup.cores or 0
        for found in report.findings:
            collector.add(found.kind, _placed(found), found.rank, found.core, found.line)
        if at_fault is not None:
            collector.add("wrong-output", at_fault)

    def all(self) -> tuple[SimFinding, ...]:
        return self._collector.all()


def _placed(found: Found) -> str:
    """The text of a finding, with its line where the engine's words have none: nobody sees the other fields."""
    if found.line is None or re.search(rf"\bline {found.line}\b", found.text):
        return found.text
    core = "" if found.core is None else f" core {found.core}"
    place = f"line {found.line}" if found.rank is None else f"by rank {found.rank}{core}, line {found.line}"
    return f"{found.text} ({place})"
