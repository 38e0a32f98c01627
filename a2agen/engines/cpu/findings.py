"""What is found while a kernel runs, and its collection without repeats."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

KINDS = {
    "race": "two accesses that nothing orders, one of them a write",
    "deadlock": "cores, streams or hosts that wait for what never comes",
    "rank-barrier": "a device barrier of a GPU, which is one of the ranks, that many of a rank join",
    "endless": "a loop of a kernel that takes far more turns than there is work",
    "out-of-bounds": "an access outside the tensor that its pointer was made from",
    "uninitialised": "a read of memory that nothing wrote",
    "lost-signal": "a non-zero word overwritten before any wait saw it",
    "shared-line": "words in one cache line that different cores notify, of which a store can lose a neighbour's",
    "shared-queue": "more than one core of a rank on the one queue to a PE",
    "put-to-self": "a put whose target is the own rank, which the engine does not do",
    "add-stored": "an add on a target that stores the value instead",
    "int32-overflow": "an offset that leaves 32 bits though no operand was cast to 64",
    "beyond-node": "an address or a word of a rank that may be on another node, by what does not leave the node",
    "not-symmetric": "a remote address of memory that peers do not have",
    "stale-wait": "a wait and a notify of one program on one word without a program-wide barrier between them",
    "stale-read": "a number that a program reads and then stores without a program-wide barrier between them",
    "unused-token": "a wait whose token nothing consumes",
    "wrong-output": "an output that differs from the reference",
}
"""The kinds of findings and what each means."""


@dataclass(frozen=True, slots=True)
class SimFinding:
    """A finding: where it came up (line of the kernel file; None where it is not in the kernel), and the extents, cores
    and seed of the interleaving that shows it again. Its text says all that there is to say but these three."""

    kind: str
    rank: int | None
    core: int | None
    line: int | None
    text: str
    seed: int | None
    shape: dict[str, int]
    cores: int


class Collector:
    """Findings of several interleavings, each once: the first of those with the same kind and lines."""

    def __init__(self, limit: int = 100) -> None:
        self._found: dict[Hashable, SimFinding] = {}
        self._limit = limit
        # Of the interleaving at hand.
        self.seed = 0
        self.shape: dict[str, int] = {}
        self.cores = 0
        # Lines of waits whose token has reached an operation, and findings of those whose token has not in a launch.
        self._used_waits: set[int | None] = set()
        self._idle_waits: dict[int | None, SimFinding] = {}
        # Findings of the present interleaving, repeats included.
        self.reported = 0

    def add(
        self,
        kind: str,
        text: str,
        rank: int | None = None,
        core: int | None = None,
        line: int | None = None,
        *key: Hashable,
    ) -> None:
        """Report; `key` tells apart what shares kind and line, as the other line of a race."""
        self.reported += 1
        full = (kind, line, *key)
        if full not in self._found and len(self._found) < self._limit:
            self._found[full] = SimFinding(kind, rank, core, line, text, self.seed, self.shape, self.cores)

    def known(self, kind: str, line: int | None, *key: Hashable) -> bool:
        """Whether such a finding is there already, so that its text need not be made; counts it as reported."""
        if (kind, line, *key) in self._found:
            self.reported += 1
            return True
        return False

    def used_wait(self, line: int | None) -> None:
        """Some core has used the token of a wait."""
        self._used_waits.add(line)

    def idle_wait(self, line: int | None, rank: int, core: int, text: str) -> None:
        """A core has consumed the token of a wait, and used nothing that came of it: a fault if none ever does."""
        found = SimFinding("unused-token", rank, core, line, text, self.seed, self.shape, self.cores)
        self._idle_waits.setdefault(line, found)

    def conclude(self) -> None:
        """All interleavings have run: report what none of them has used."""
        for line, found in self._idle_waits.items():
            if line not in self._used_waits:
                self._found.setdefault((found.kind, line), found)

    def all(self) -> tuple[SimFinding, ...]:
        return tuple(self._found.values())
