"""The streams of ranks that exchange data under a protocol of the table, for the exhaustive search.

Nothing here knows the rows: the fields of a `Protocol` say what is built. A `Change` leaves a part out or puts it
elsewhere, to show that the part is needed and where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from a2agen.passes.protocol.explore import Add, Cell, Operation, Read, Store, Stream, Wait
from a2agen.passes.protocol.table import Free, Place, Protocol, Ready

Change = Literal[
    "no host",
    "no host barrier",
    "barrier before clear",
    "no start barrier",
    "barrier at kernel end",
    "no enter",
    "enter at kernel end",
    "data not doubled",
    "words not doubled",
    "no wait for empty",
    "no clear by reader",
    "no wait for all",
    "waits for at least",
    "one word for all cores",
    "idle core announces nothing",
]


@dataclass(frozen=True, slots=True)
class Path:
    """One path of an exchange under a protocol, as the schedule says it."""

    protocol: Protocol
    ready: Ready
    free: Free
    place: Place
    slots_reused: bool


@dataclass(frozen=True, slots=True)
class Scenario:
    """How much is explored: every rank sends `blocks` blocks to every other rank in each launch, with `senders` cores
    that write, and one that reads or waits. `slots` counts where slots are reused. `relayout`: each second launch has
    another shape, so that its data lies elsewhere while its words do not."""

    ranks: int = 2
    launches: int = 3
    senders: int = 1
    blocks: int = 1
    slots: int = 1
    relayout: bool = False


def streams(path: Path, scenario: Scenario, changes: frozenset[Change] = frozenset()) -> list[Stream]:
    """The stream of each rank, `scenario.launches` launches long."""
    builder = _Builder(path, scenario, changes)
    return [builder.stream(rank) for rank in range(scenario.ranks)]


class _Builder:
    def __init__(self, path: Path, scenario: Scenario, changes: frozenset[Change]) -> None:
        self.path = path
        self.protocol = path.protocol
        self.scenario = scenario
        self.changes = changes
        self.kind, self.unit = path.ready
        self.local = self.kind == "none" and path.free[0] == "none"
        # A phase that gives back what it read exists even where nobody told it when to read.
        self.reads = path.place == "staging" and not self.local
        self.waits = path.place == "out" and self.protocol.wait_all and "no wait for all" not in changes
        self.cores = scenario.senders + (self.reads or self.waits)
        self.start_barrier = self.protocol.start_barrier and not changes & {"no start barrier", "barrier at kernel end"}
        self.end_barrier = self.protocol.start_barrier and "barrier at kernel end" in changes
        self.enter = self.protocol.enter and "no enter" not in changes
        self.enter_late = "enter at kernel end" in changes
        self.at_least = "waits for at least" in changes
        self.shared_word = "one word for all cores" in changes

    def stream(self, rank: int) -> Stream:
        stages: list[list[list[Operation]]] = []
        for launch in range(1, self.scenario.launches + 1):
            stages += [[stage] for stage in self.host(rank, launch)]
            kernel = [self.sender(rank, core, launch) for core in range(self.scenario.senders)]
            if self.reads:
                kernel.append(self.reader(rank, launch))
            elif self.waits:
                kernel.append(self.waiter(rank, launch))
            stages.append(kernel)
            if self.enter and self.enter_late:
                stages.append([[Store(((("enter", rank, t), launch),)) for t in self.others(rank)]])
            if not self.reads:
                stages.append([self.later(rank, launch)])
        return stages

    def host(self, rank: int, launch: int) -> list[list[Operation]]:
        """What the launcher puts before the kernel."""
        if not self.protocol.host or "no host" in self.changes:
            return []
        clear: list[Operation] = []
        if self.protocol.clear == "launcher":
            clear = [Store(((word, 0),)) for s in self.others(rank) for word in self.words_from(s, rank, launch)]
        barrier = self.barrier("host", launch, self.scenario.ranks)
        if "no host barrier" in self.changes:
            barrier = []
        return [barrier, clear] if "barrier before clear" in self.changes else [clear, barrier]

    def sender(self, rank: int, core: int, launch: int) -> list[Operation]:
        todo = self.opening(launch)
        if self.enter and not self.enter_late and core == 0:
            todo += [Store(((("enter", rank, t), launch),)) for t in self.others(rank)]
        mine = [b for b in range(self.scenario.blocks) if b % self.scenario.senders == core]
        for block in range(self.scenario.blocks):
            if block in mine:
                for target in [rank] if self.local else self.others(rank):
                    if block == mine[0]:
                        todo += self.wait_entered(rank, target, launch)
                    todo += self.send(rank, target, core, block, launch)
            todo += self.closing(block, launch)
        if self.unit == "peer":
            for target in self.others(rank):
                if not mine:
                    todo += self.wait_entered(rank, target, launch)
                if mine or "idle core announces nothing" not in self.changes:
                    todo += self.announce(rank, target, core, 0, launch)
        return todo + self.ending(launch)

    def send(self, rank: int, target: int, core: int, block: int, launch: int) -> list[Operation]:
        datum = (self.datum(rank, target, block, launch), self.content(block, launch))
        if self.kind == "flag":
            return [Store((datum, (self.word(rank, target, core, block, launch), self.value(launch))))]
        todo: list[Operation] = []
        if self.protocol.mailbox and "no wait for empty" not in self.changes:
            todo.append(Wait(self.word(rank, target, core, block, launch), 0))
        todo.append(Store((datum,)))
        if self.unit in ("tile", "block"):
            todo += self.announce(rank, target, core, block, launch)
        return todo

    def announce(self, rank: int, target: int, core: int, block: int, launch: int) -> list[Operation]:
        return [Store(((self.word(rank, target, core, block, launch), self.value(launch)),))]

    def wait_entered(self, rank: int, target: int, launch: int) -> list[Operation]:
        """A writer may touch the target's memory once the target has started this launch."""
        wanted = launch - 1 if self.enter_late else launch
        return [Wait(("enter", target, rank), wanted, self.at_least)] if self.enter and wanted else []

    def reader(self, rank: int, launch: int) -> list[Operation]:
        todo = self.opening(launch)
        for block in range(self.scenario.blocks):
            todo += self.closing(block, launch)
            for source in self.others(rank):
                words = self.words_of(source, rank, block, launch)
                todo += [Wait(word, self.value(launch), self.at_least) for word in words]
                todo.append(Read(self.datum(source, rank, block, launch), self.content(block, launch)))
                if self.protocol.clear == "reader" and "no clear by reader" not in self.changes:
                    todo += [Store(((word, 0),)) for word in words]
        return todo + self.ending(launch)

    def waiter(self, rank: int, launch: int) -> list[Operation]:
        """Sees every announcement to its rank, for outputs that no phase reads."""
        words = [word for s in self.others(rank) for word in self.words_from(s, rank, launch)]
        waits: list[Operation] = [Wait(word, self.value(launch), self.at_least) for word in words]
        return self.opening(launch) + waits + self.ending(launch)

    def later(self, rank: int, launch: int) -> list[Operation]:
        """A later operation of the stream, which reads what the launch has left."""
        sources = [rank] if self.local else self.others(rank)
        blocks = range(self.scenario.blocks)
        return [Read(self.datum(s, rank, b, launch), self.content(b, launch)) for s in sources for b in blocks]

    def opening(self, launch: int) -> list[Operation]:
        return self.device_barrier(launch, 0) if self.start_barrier else []

    def closing(self, block: int, launch: int) -> list[Operation]:
        return self.device_barrier(launch, self.start_barrier + block) if self.protocol.block_barrier else []

    def ending(self, launch: int) -> list[Operation]:
        return self.device_barrier(launch, self.scenario.blocks) if self.end_barrier else []

    def device_barrier(self, launch: int, index: int) -> list[Operation]:
        in_launch = self.scenario.blocks * self.protocol.block_barrier + self.start_barrier + self.end_barrier
        return self.barrier("device", (launch - 1) * in_launch + index + 1, self.scenario.ranks * self.cores)

    def barrier(self, name: str, episode: int, members: int) -> list[Operation]:
        return [Add((name,), 1), Wait((name,), episode * members, at_least=True)]

    def others(self, rank: int) -> list[int]:
        return [(rank + k) % self.scenario.ranks for k in range(1, self.scenario.ranks)]

    def value(self, launch: int) -> int:
        return launch if self.protocol.word_value == "round" else 1

    def content(self, block: int, launch: int) -> int:
        return (launch - 1) * self.scenario.blocks + block + 1

    def slot(self, block: int) -> int:
        return block % self.scenario.slots if self.path.slots_reused else block

    def position(self, block: int, launch: int) -> int:
        """Where the data of a block lies in this launch."""
        last = (self.scenario.slots if self.path.slots_reused else self.scenario.blocks) - 1
        moved = self.scenario.relayout and launch % 2 == 0
        return last - self.slot(block) if moved else self.slot(block)

    def datum(self, source: int, target: int, block: int, launch: int) -> Cell:
        half = launch % 2 if self.protocol.parity and "data not doubled" not in self.changes else 0
        return ("data", source, target, self.position(block, launch), half)

    def word(self, source: int, target: int, core: int, block: int, launch: int) -> Cell:
        half = launch % 2 if self.protocol.parity and "words not doubled" not in self.changes else 0
        if self.kind == "flag":
            half = launch % 2 if self.protocol.parity and "data not doubled" not in self.changes else 0
            return ("flag", source, target, self.position(block, launch), half)
        if self.unit == "peer":
            return ("word", source, target, 0 if self.shared_word else core, half)
        return ("word", source, target, self.slot(block), half)

    def words_of(self, source: int, target: int, block: int, launch: int) -> list[Cell]:
        """What announces a block: its word, or at the first block the words of all cores of the source."""
        if self.protocol.word_value is None:
            return []
        if self.unit != "peer":
            return [self.word(source, target, 0, block, launch)]
        if block > 0:
            return []
        senders = self.scenario.senders
        cores = range(min(senders, self.scenario.blocks) if "idle core announces nothing" in self.changes else senders)
        return list(dict.fromkeys(self.word(source, target, core, 0, launch) for core in cores))

    def words_from(self, source: int, target: int, launch: int) -> list[Cell]:
        words = (w for b in range(self.scenario.blocks) for w in self.words_of(source, target, b, launch))
        return list(dict.fromkeys(words))
