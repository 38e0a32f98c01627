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
    "words count by adding",
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
    that write, and one that reads or waits. `slots` counts where slots are reused.

    Each second launch has another shape with `relayout`, so that its data lies elsewhere while its words do not, and
    with `blocks_in_turn`, which is its number of blocks. `halves_move`: where data and words are doubled, the second
    half starts behind the first, which is as large as the shape of the launch makes it."""

    ranks: int = 2
    launches: int = 3
    senders: int = 1
    blocks: int = 1
    slots: int = 1
    relayout: bool = False
    blocks_in_turn: int | None = None
    halves_move: bool = False

    def blocks_of(self, launch: int) -> int:
        """How many blocks a launch has; launches count from 1."""
        return self.blocks if self.blocks_in_turn is None or launch % 2 else self.blocks_in_turn


def streams(path: Path, scenario: Scenario, changes: frozenset[Change] = frozenset()) -> list[Stream]:
    """The stream of each rank, `scenario.launches` launches long."""
    builder = Builder(path, scenario, changes)
    return [builder.stream(rank) for rank in range(scenario.ranks)]


class Builder:
    """Makes the streams; what the cores do is in methods of its own, for builders that let them do it otherwise."""

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
        self.counting = "words count by adding" in changes and self.protocol.word_value == "round"

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
        mine = [b for b in self.blocks(launch) if b % self.scenario.senders == core]
        for block in self.blocks(launch):
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
        word = self.word(rank, target, core, block, launch)
        return [Add(word, 1)] if self.counting else [Store(((word, self.value(launch)),))]

    def wait_entered(self, rank: int, target: int, launch: int) -> list[Operation]:
        """A writer may touch the target's memory once the target has started this launch."""
        wanted = launch - 1 if self.enter_late else launch
        return [Wait(("enter", target, rank), wanted, self.at_least)] if self.enter and wanted else []

    def reader(self, rank: int, launch: int) -> list[Operation]:
        todo = self.opening(launch)
        for block in self.blocks(launch):
            todo += self.closing(block, launch)
            for source in self.others(rank):
                words = self.words_of(source, rank, block, launch)
                todo += [Wait(word, self.complete(launch), self.at_least) for word in words]
                todo.append(Read(self.datum(source, rank, block, launch), self.content(block, launch)))
                if self.protocol.clear == "reader" and "no clear by reader" not in self.changes:
                    todo += [Store(((word, 0),)) for word in words]
        return todo + self.ending(launch)

    def waiter(self, rank: int, launch: int) -> list[Operation]:
        """Sees every announcement to its rank, for outputs that no phase reads."""
        words = [word for s in self.others(rank) for word in self.words_from(s, rank, launch)]
        waits: list[Operation] = [Wait(word, self.complete(launch), self.at_least) for word in words]
        return self.opening(launch) + waits + self.ending(launch)

    def later(self, rank: int, launch: int) -> list[Operation]:
        """A later operation of the stream, which reads what the launch has left."""
        sources = [rank] if self.local else self.others(rank)
        blocks = self.blocks(launch)
        return [Read(self.datum(s, rank, b, launch), self.content(b, launch)) for s in sources for b in blocks]

    def opening(self, launch: int) -> list[Operation]:
        return self.device_barrier(launch, 0) if self.start_barrier else []

    def closing(self, block: int, launch: int) -> list[Operation]:
        return self.device_barrier(launch, self.start_barrier + block) if self.protocol.block_barrier else []

    def ending(self, launch: int) -> list[Operation]:
        return self.device_barrier(launch, self.scenario.blocks_of(launch)) if self.end_barrier else []

    def device_barrier(self, launch: int, index: int) -> list[Operation]:
        each = self.start_barrier + self.end_barrier
        before = sum(each + self.scenario.blocks_of(n) * self.protocol.block_barrier for n in range(1, launch))
        return self.barrier("device", before + index + 1, self.scenario.ranks * self.cores)

    def barrier(self, name: str, episode: int, members: int) -> list[Operation]:
        return [Add((name,), 1), Wait((name,), episode * members, at_least=True)]

    def others(self, rank: int) -> list[int]:
        return [(rank + k) % self.scenario.ranks for k in range(1, self.scenario.ranks)]

    def value(self, launch: int) -> int:
        return launch if self.protocol.word_value == "round" else 1

    def complete(self, launch: int) -> int:
        """What a word holds when all of a launch was announced. One in a half is added to in every other launch."""
        if not self.counting:
            return self.value(launch)
        return (launch + 1) // 2 if self.doubles_words else launch

    def content(self, block: int, launch: int) -> int:
        return (launch - 1) * max(self.scenario.blocks_of(1), self.scenario.blocks_of(2)) + block + 1

    def blocks(self, launch: int) -> range:
        return range(self.scenario.blocks_of(launch))

    def slot(self, block: int) -> int:
        return block % self.scenario.slots if self.path.slots_reused else block

    def places(self, launch: int) -> int:
        """How many places a launch has for blocks of one pair of ranks."""
        return self.scenario.slots if self.path.slots_reused else self.scenario.blocks_of(launch)

    def position(self, block: int, launch: int) -> int:
        """Where the data of a block lies in this launch."""
        moved = self.scenario.relayout and launch % 2 == 0
        return self.places(launch) - 1 - self.slot(block) if moved else self.slot(block)

    def place(self, at: int, launch: int, doubled: bool) -> tuple[int, int]:
        """A half and a place in it, or a place behind the first half in one range of places for both."""
        half = launch % 2 if doubled else 0
        return (0, half * self.places(launch) + at) if self.scenario.halves_move else (half, at)

    @property
    def doubles_data(self) -> bool:
        return self.protocol.parity and "data not doubled" not in self.changes

    @property
    def doubles_words(self) -> bool:
        return self.protocol.parity and "words not doubled" not in self.changes

    def datum(self, source: int, target: int, block: int, launch: int) -> Cell:
        return ("data", source, target, self.place(self.position(block, launch), launch, self.doubles_data))

    def word(self, source: int, target: int, core: int, block: int, launch: int) -> Cell:
        if self.kind == "flag":
            return ("flag", source, target, self.place(self.position(block, launch), launch, self.doubles_data))
        if self.unit == "peer":
            # A word for each core: shapes do not move the halves of those.
            half = launch % 2 if self.doubles_words else 0
            return ("word", source, target, (half, 0 if self.shared_word else core))
        return ("word", source, target, self.place(self.slot(block), launch, self.doubles_words))

    def words_of(self, source: int, target: int, block: int, launch: int) -> list[Cell]:
        """What announces a block: its word, or at the first block the words of all cores of the source."""
        if self.protocol.word_value is None:
            return []
        if self.unit != "peer":
            return [self.word(source, target, 0, block, launch)]
        if block > 0:
            return []
        senders = self.scenario.senders
        busy = min(senders, self.scenario.blocks_of(launch))
        cores = range(busy if "idle core announces nothing" in self.changes else senders)
        return list(dict.fromkeys(self.word(source, target, core, 0, launch) for core in cores))

    def words_from(self, source: int, target: int, launch: int) -> list[Cell]:
        words = (w for b in self.blocks(launch) for w in self.words_of(source, target, b, launch))
        return list(dict.fromkeys(words))
