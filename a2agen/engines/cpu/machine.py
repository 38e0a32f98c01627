"""The simulated machine of one interleaving: ranks, cores and what every operation needs of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from a2agen.engines.cpu.errors import Halt, UnsupportedError
from a2agen.engines.cpu.findings import Collector
from a2agen.engines.cpu.memory import Allocation, Coordinates, Span, Token
from a2agen.engines.cpu.model import MemoryModel
from a2agen.engines.cpu.order import Clock, Order, Thread, join
from a2agen.engines.cpu.scheduler import Actor, Scheduler
from a2agen.engines.cpu.sites import Sites


class Core(Actor):
    """A core of a rank: its clocks, and what its engines have not finished yet.

    `clock` is what its accesses come after; `control` also what its waits have seen, whatever pointers carry: its
    notifies pass that on.
    """

    __slots__ = (
        "awaited",
        "clock",
        "control",
        "fenced",
        "met",
        "mte",
        "negative",
        "notified",
        "pid",
        "programs",
        "put",
        "put_tokens",
        "puts",
        "seen",
        "stores",
        "thread",
        "tokens",
        "turns",
        "waited",
    )

    def __init__(self, rank: int, pid: int, numbers: tuple[int, int, int], clock: Clock, control: Clock) -> None:
        super().__init__(rank)
        self.pid = pid
        self.programs = 0
        # Of its loops in the present launch.
        self.turns = 0
        # Where a remainder was negative in the present launch, if any was.
        self.negative: int | None = None
        # What a fence or quiet of the shared-memory library has ordered before notifies that do not order by
        # themselves; and what it has for each thread of a program, of which the others know when they meet.
        self.fenced: Clock | None = None
        self.met: Clock | None = None
        # The epoch of the core itself at which its threads met last.
        self.seen = 0
        self.clock = clock
        self.control = control
        self.thread = Thread(numbers[0], control)
        self.mte = Thread(numbers[1], clock)
        self.put = Thread(numbers[2], clock)
        # Tokens that the engines' accesses carried since the last fence or quiet.
        self.tokens: list[Token] = []
        self.put_tokens: list[Token] = []
        # Stores and puts on their way, each a function that completes it.
        self.stores: list[tuple[Allocation, Callable[[], None]]] = []
        self.puts: list[Callable[[], None]] = []
        # Tokens of its waits, with the place of the wait: what becomes of each is looked at later.
        self.awaited: list[tuple[Token, int]] = []
        # Words that the program's threads may still be at, by allocation, rank and byte: where, and for those that it
        # notified what they held before.
        self.notified: dict[tuple[int, int, int], tuple[int, tuple[int, ...]]] = {}
        self.waited: dict[tuple[int, int, int], int] = {}

    def publish(self, thread: Thread) -> None:
        """What the core or an engine of its has done so far comes before what the core does next."""
        self.clock[thread.number] = self.control[thread.number] = thread.epoch
        thread.epoch += 1

    def completed_load(self, site: int, tokens: tuple[Token, ...]) -> Thread:
        """The core itself, for a load that has ended when the core goes on."""
        self.publish(self.thread)
        thread = Thread(self.thread.number, self.clock)
        thread.epoch = self.thread.epoch - 1
        return thread.at(site, tokens)

    def load_store(self, site: int, tokens: tuple[Token, ...]) -> Thread:
        """The load/store engine, for an access through a pointer that carries `tokens`."""
        for token in tokens:
            if not self.tokens or self.tokens[-1] is not token:
                self.tokens.append(token)
        return self.mte.at(site, tokens)


class Machine:
    """Ranks and cores, their memory, and the checks when `order` is there."""

    def __init__(
        self,
        ranks: int,
        cores: int,
        model: MemoryModel,
        scheduler: Scheduler,
        findings: Collector,
        sites: Sites,
        checked: bool,
        turns_most: int = 0,
        several_nodes: bool = False,
    ) -> None:
        self.ranks = ranks
        self.cores_per_rank = cores
        self.model = model
        self.scheduler = scheduler
        self.findings = findings
        self.sites = sites
        self.turns_most = turns_most
        self.several_nodes = several_nodes
        fence = "tl.debug_barrier()" if model.program_is_many_threads else "fence"
        self.order = Order(ranks, cores, findings, sites, fence) if checked else None
        # Of a kernel's arguments, for messages.
        self.axes: dict[str, Coordinates] = {}
        self.operations = 0
        self.allocations: list[Allocation] = []
        # The queues to PEs in use: (rank, launch, PE) and the core that has it.
        self.queues: dict[tuple[int, int, int], int] = {}
        self.launches = [0] * ranks
        # By how many launches a rank was ahead of another at most.
        self.lead = 0
        self.barrier: list[Core] = []
        # Places of waits whose token has reached an operation, and of those whose consumed token has not in a launch,
        # with rank and core.
        self.used_waits: set[int] = set()
        self.idle_waits: dict[int, tuple[int, int]] = {}
        self.cores = [[self._new_core(rank, pid) for pid in range(cores)] for rank in range(ranks)]

    def _new_core(self, rank: int, pid: int) -> Core:
        index = rank * self.cores_per_rank + pid
        if self.order is None:
            none = np.zeros(0, np.int32)
            return Core(rank, pid, (0, 0, 0), none, none)
        numbers = (index, self.order.first_mte + index, self.order.first_put + index)
        return Core(rank, pid, numbers, self.order.clock(), self.order.clock())

    @property
    def core(self) -> Core:
        """The running core."""
        current = self.scheduler.current
        if type(current) is not Core:
            raise UnsupportedError("a kernel's function called outside a kernel")
        return current

    def begin(self) -> Core:
        """Count an operation of the running core, which others may come before."""
        scheduler = self.scheduler
        core = scheduler.current
        if type(core) is not Core:
            raise UnsupportedError("a kernel's function called outside a kernel")
        self.operations += 1
        scheduler.pause()
        return core

    # -- memory

    def allocate(self, nbytes: int, owner: int | None) -> Allocation:
        """New memory, with undefined contents."""
        found = Allocation(f"allocation {len(self.allocations)}", nbytes, self.ranks, owner)
        self.allocations.append(found)
        return found

    def bytes_of(self, span: Span, rank: int, low: int, high: int, site: int, what: str) -> Any:
        """The memory of an access to bytes [low, high) of the span's allocation, or None where it is out of bounds,
        which is reported."""
        memory = span.allocation.memory[rank]
        if memory is not None and low >= span.low and high <= span.high:
            return memory
        self.out_of_bounds(span, rank, low, high, site, what)
        return None

    def out_of_bounds(self, span: Span, rank: int, low: int, high: int, site: int, what: str) -> None:
        """Report an access that leaves its tensor, or whose tensor is not there."""
        memory = span.allocation.memory[rank]
        core = self.scheduler.current
        pid = core.pid if type(core) is Core else None
        line = self.sites.line(site)
        if not self.findings.known("out-of-bounds", line, what, span.name):
            if memory is None and span.allocation.owner not in (None, rank):
                text = f"{what} of {span.name} at rank {rank}: it is local to rank {span.allocation.owner}"
            elif memory is None:
                text = f"{what} of {span.name} at rank {rank}, which was freed"
            else:
                size = span.dtype.itemsize
                bad = low if low < span.low else high - size
                text = (
                    f"{what} reaches {span.name}[{(bad - span.low) // size}] at rank {rank}; "
                    f"{span.name} has {(span.high - span.low) // size} elements"
                )
                if bad < span.low and type(core) is Core:
                    text += self.of_negative(core)
            where = f" (rank {core.rank}{'' if pid is None else f' core {pid}'}, {self.sites.words(site)})"
            self.findings.add("out-of-bounds", text + where, core.rank, pid, line, what, span.name)

    def complain(self, kind: str, core: Core, site: int, text: str, *key: Any) -> None:
        """Report what a core does at a place."""
        line = self.sites.line(site)
        self.findings.add(
            kind,
            f"{text} (rank {core.rank} core {core.pid}, {self.sites.words(site)})",
            core.rank,
            core.pid,
            line,
            *key,
        )

    def of_negative(self, core: Core) -> str:
        """What a number below 0 may have come of, to be added to the words of what it led to."""
        if core.negative is None:
            return ""
        where = self.sites.words(core.negative)
        text = f"; the remainder at {where} is negative: in Triton it has the sign of the dividend, so add the divisor "
        return text + "first, as in (rank - i + W) % W"

    def halt(self, kind: str, core: Core, site: int, text: str) -> Halt:
        """Report what the interleaving cannot go on after."""
        self.complain(kind, core, site, text)
        return Halt(text)

    def missing_in_barrier(self, core: Core) -> int:
        """How many more must join the device barrier that a core of such a launch is in."""
        each = core.programs if self.model.barrier_of_programs else 1
        return self.ranks * each - len(self.barrier)

    # -- engines

    def drain(self, core: Core) -> None:
        """Complete the core's stores."""
        for _, complete in core.stores:
            complete()
        core.stores.clear()

    def deliver(self, core: Core) -> None:
        """Complete the core's puts, in any order."""
        while core.puts:
            core.puts.pop(int(self.scheduler.draw() * len(core.puts)))()

    def complete_mte(self, core: Core) -> None:
        """All loads and stores so far come before what the core does next."""
        self.drain(core)
        if self.order:
            for token in core.tokens:
                join(core.clock, token.clock)
            core.tokens.clear()
            core.publish(core.mte)

    def complete_puts(self, core: Core) -> None:
        """All puts so far come before what the core does next."""
        self.deliver(core)
        if self.order:
            for token in core.put_tokens:
                join(core.clock, token.clock)
            core.put_tokens.clear()
            core.publish(core.put)

    def settle_threads(self, core: Core, *, puts: bool) -> None:
        """Each thread of a program has ordered its own loads and stores so far, and with `puts` its puts have arrived;
        that comes before what the program does next when its threads have met."""
        if puts:
            self.deliver(core)
        if not self.order:
            return
        met = core.control.copy() if core.met is None else np.maximum(core.met, core.control)
        none: list[Token] = []
        engines = [(core.thread, none), (core.mte, core.tokens)] + ([(core.put, core.put_tokens)] if puts else [])
        for engine, tokens in engines:
            for token in tokens:
                join(met, token.clock)
            met[engine.number] = engine.epoch
            engine.epoch += 1
        core.put_tokens[:] = [] if puts else core.put_tokens
        core.met = met

    def meet(self, core: Core) -> None:
        """All threads of a program have come here: each knows what the others have done, and ordered."""
        self.complete_mte(core)
        core.seen = core.thread.epoch
        core.thread.epoch += 1
        if core.met is not None:
            join(core.clock, core.met)
            join(core.control, core.met)
            core.fenced = core.met if core.fenced is None else np.maximum(core.fenced, core.met)
            core.met = None
        core.notified.clear()
        core.waited.clear()

    def settle_tokens(self, core: Core, ended: bool) -> None:
        """Look at what has become of the tokens of a core's waits. One that is still to be used may be so later, unless
        the core has `ended`."""
        left = []
        for token, site in core.awaited:
            if token.used:
                self.used_waits.add(site)
            elif not ended:
                left.append((token, site))
            elif token.consumed:
                self.idle_waits.setdefault(site, (core.rank, core.pid))
            else:
                text = "nothing consumes the token of this wait: a compiler may drop it, or move accesses before it"
                self.complain("unused-token", core, site, text)
        core.awaited[:] = left

    def idle(self) -> bool:
        """Nothing runs: let what is on its way arrive. True where that made something runnable."""
        before = self._on_their_way()
        if not before:
            return False
        for cores in self.cores:
            for core in cores:
                self.drain(core)
                self.deliver(core)
        return True

    def _on_their_way(self) -> int:
        return sum(len(core.stores) + len(core.puts) for cores in self.cores for core in cores)

    # -- words that cores wait for

    def wake(self, allocation: Allocation, rank: int) -> None:
        """Memory that cores wait for words in was stored to: let them look again."""
        for word in allocation.words[rank].values():
            waiters, word.waiters = word.waiters, []
            allocation.waiters -= len(waiters)
            for core in waiters:
                self.scheduler.ready(core)
