"""A tiny interpreter of plans: every rank, host and core at once, in an order that a seed decides.

Memory is consistent at once and operations are whole, so what goes wrong here is the program itself: a tile that no
task copies or two do, a wait that nobody answers, a slot written too early, an index outside its axis. Fences do
nothing. Puts on a queue arrive when they please, and quiets wait for them; a put without a queue is a whole operation
too. An element's value says which launch, rank and place it comes from.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import product

from a2agen.ir.plan import (
    Access,
    After,
    Aim,
    Barrier,
    Clear,
    ClearFlags,
    Copy,
    CoreClass,
    EpochAfter,
    EpochLoad,
    EpochStore,
    Fence,
    FlagBlocks,
    Fork,
    HostBarrier,
    HostCopy,
    Join,
    Kernel,
    Launch,
    Let,
    Load,
    Loop,
    Notify,
    Op,
    Part,
    Plan,
    Put,
    Quiet,
    Store,
    Synchronize,
    TileAxis,
    Wait,
    WaitFlags,
    When,
    Word,
)
from tests.passes.lower.queues import Engine, QueueError, Request

Actor = Iterator[Callable[[], bool]]
Place = tuple[int, str, tuple[int, ...]]
# Elements of a piece of a put, where no flag blocks say how many belong together.
PIECE = 4
# How often a slow core lets others go first at each of its steps.
SLOW = 40


class PlanError(Exception):
    """A plan did something that no sound plan does."""


def ready() -> bool:
    return True


def slow(core: Actor) -> Actor:
    for condition in core:
        yield from (ready for _ in range(SLOW))
        yield condition


class Machine:
    """Runs a plan for extents `values` on `cores` cores of every rank, `launches` times back to back. With `drift` one
    core in eight takes many times as long as the others."""

    def __init__(self, plan: Plan, values: dict[str, int], cores: int, seed: int = 0, drift: bool = False) -> None:
        self.drift = drift
        # Puts of a GPU arrive when they like, up to the quiet of the core that made them.
        self.late = plan.schedule.target.vendor == "nvidia"
        self.plan = plan
        self.exchange = plan.schedule.exchange
        self.ranks = values[self.exchange.ranks]
        self.cores = cores
        self.fixed = {**dict(plan.constants), **values, "cores": cores}
        self.fixed |= {let.name: let.value.evaluate(self.fixed) for let in plan.counts}
        self.extents = {
            m.name: tuple((axis, extent.evaluate(self.fixed)) for axis, extent in m.axes) for m in plan.memories
        }
        self.regions = {w.name: tuple((axis, n.evaluate(self.fixed)) for axis, n in w.axes) for w in plan.words}
        self.memory: dict[Place, object] = {}
        self.words: Counter[Place] = Counter()
        self.stores: Counter[Place] = Counter()
        self.loaded: dict[tuple[int, int], list[object]] = {}
        self.aims: dict[tuple[int, int], Place] = {}
        self.notified: set[Place] = set()
        self.waited: set[Place] = set()
        self.epochs: Counter[tuple[int, int, str | None]] = Counter()
        self.running: dict[int, str | None] = {}
        self.arrived: Counter[int] = Counter()
        self.joined: Counter[tuple[int, int]] = Counter()
        self.hosts: Counter[int] = Counter()
        self.random = random.Random(seed)
        self.flags: Counter[Place] = Counter()
        self.engine = Engine(self.random, lambda actor: self.actors.append((actor, ready)))

    def run(self, launches: int) -> None:
        """Raises PlanError for a deadlock, an index out of bounds, or a result that is not the exchange's."""
        actors: list[tuple[Actor, Callable[[], bool]]] = []
        self.actors = actors
        for rank in range(self.ranks):
            actors.append((self.host(rank, launches), ready))
        while actors:
            first = self.random.randrange(len(actors))
            n = next((n for n in (*range(first, len(actors)), *range(first)) if actors[n][1]()), None)
            if n is None:
                raise PlanError(f"deadlock of {len(actors)} actors")
            try:
                actors[n] = (actors[n][0], next(actors[n][0]))
            except StopIteration:
                actors[n] = actors[-1]
                actors.pop()
            except QueueError as error:
                raise PlanError(str(error)) from None

    # Hosts

    def host(self, rank: int, launches: int) -> Actor:
        for launch in range(launches):
            self.fill(rank, launch)
            copying: list[int] = []
            forked = False
            for op in self.plan.host:
                yield ready
                match op:
                    case Clear(names):
                        for place in [p for p in self.words if p[0] == rank and p[1] in names]:
                            self.words[place] = 0
                    case Synchronize():
                        forked = True
                    case HostBarrier():
                        self.hosts[launch] += 1
                        yield lambda launch=launch: self.hosts[launch] == self.ranks
                    case Fork():
                        forked = True
                    case HostCopy():
                        if not forked:
                            raise PlanError("a copy that comes after nothing")
                        for n in range(op.count.evaluate(self.fixed)):
                            copying.append(n)
                            self.actors.append((self.host_copy(op, rank, n, copying), ready))
                    case Join():
                        yield lambda copying=copying: not copying
                    case Launch(name):
                        done: list[int] = []
                        kernel = next(k for k in self.plan.kernels if k.name == name)
                        started = [self.core(kernel, rank, pid, done) for pid in range(self.cores)]
                        self.actors += [(self.paced(core), ready) for core in started]
                        yield lambda done=done: len(done) == self.cores
                        self.engine.end_launch(rank)
            # Later work of the stream reads the result, while others may be launches ahead.
            for _ in range(self.random.randrange(20)):
                yield ready
            self.verify(rank, launch)

    def host_copy(self, op: HostCopy, rank: int, n: int, copying: list[int]) -> Actor:
        """The n-th of a host's copies, some time after its fork."""
        names = {**self.fixed, "rank": rank} | ({} if op.counter is None else {op.counter: n})
        names[op.peer] = op.nth.evaluate(names)
        if not 0 <= op.stream.evaluate(names) < self.ranks:
            raise PlanError("a copy on no side stream")
        yield ready
        for offsets in product(*(range(extent.evaluate(names)) for _, extent in op.extents)):
            more = {axis: k for (axis, _), k in zip(op.extents, offsets, strict=True)}
            self.move(self.place(op.source, more, names), self.place(op.target, more, names))
        copying.remove(n)

    def fill(self, rank: int, launch: int) -> None:
        source, result = self.plan.schedule.source.name, self.plan.schedule.result.name
        for index in self.all(source):
            self.memory[rank, source, index] = (launch, rank, index)
        if launch == 0:
            for index in self.all(result):
                self.memory[rank, result, index] = None

    def all(self, memory: str) -> Iterator[tuple[int, ...]]:
        return product(*(range(extent) for _, extent in self.extents[memory]))

    def verify(self, rank: int, launch: int) -> None:
        """The result at a rank is that of this launch, each element stored once in it."""
        source, result = self.plan.schedule.source.name, self.plan.schedule.result.name
        for index in self.all(result):
            at = dict(zip((axis for axis, _ in self.extents[result]), index, strict=True))
            sender = at.pop("from")
            wanted = (launch, sender, tuple(at[a] if a != "to" else rank for a, _ in self.extents[source]))
            place = (rank, result, index)
            if self.memory[place] != wanted:
                found = self.memory[place]
                raise PlanError(f"launch {launch}: {result}{index} of rank {rank} is {found}, not {wanted}")
            if self.stores[place] != launch + 1:
                raise PlanError(f"launch {launch}: {result}{index} was stored {self.stores[place]} times in all")

    # Cores

    def core(self, kernel: Kernel, rank: int, pid: int, done: list[int]) -> Actor:
        names = {**self.fixed, "rank": rank, "pid": pid}
        self.running[rank] = kernel.side
        yield from self.ops(kernel.prologue, names)
        kind, part = self.program(kernel, pid, names)
        if kind.cores != "all":
            names |= {"lane": pid // 2, "lanes": kind.lanes.evaluate(names)}
        yield from self.ops(part.body, names)
        yield from self.ops(kernel.epilogue, names)
        done.append(pid)

    def paced(self, core: Actor) -> Actor:
        """The core, or one that is slow."""
        return slow(core) if self.drift and self.random.randrange(8) == 0 else core

    def program(self, kernel: Kernel, pid: int, names: dict[str, int]) -> tuple[CoreClass, Part]:
        kinds = kernel.classes
        kind = kinds[pid % 2] if len(kinds) == 2 else kinds[0]
        lane = pid if kind.cores == "all" else pid // 2
        for part in kind.parts:
            if part.first is not None and lane >= part.first.evaluate(names):
                continue
            return kind, part
        raise PlanError(f"core {pid} has no program")

    def ops(self, ops: tuple[Op, ...], names: dict[str, int]) -> Actor:
        for op in ops:
            yield from self.op(op, names)

    def op(self, op: Op, names: dict[str, int]) -> Actor:
        rank = names["rank"]
        match op:
            case Let(name, value):
                names[name] = value.evaluate(names)
            case Loop(name, first, end, step, body):
                for value in range(first.evaluate(names), end.evaluate(names), step.evaluate(names)):
                    names[name] = value
                    yield from self.ops(body, names)
            case When(name, value, body):
                if names[name] == value.evaluate(names):
                    yield from self.ops(body, names)
            case Copy() | Load() | Store():
                yield ready
                self.copy(op, names)
            case Put():
                yield ready
                self.put(op, names)
            case Wait(word, value, _, at):
                home = rank if at is None else at.evaluate(names)
                places, wanted = list(self.places(word, home, names)), value.evaluate(names)
                self.waited |= set(places)
                yield lambda: all(self.words[place] == wanted for place in places)
            case WaitFlags(source, tile, wanted):
                flags, number = self.flags_of(source, tile, names), wanted.evaluate(names)
                yield lambda: all(self.flags[flag] == number for flag in flags)
            case ClearFlags(target, tile):
                yield ready
                for flag in self.flags_of(target, tile, names):
                    self.flags[flag] = 0
            case Quiet():
                yield self.quieted(op, names)
            case Notify(word, at, value, how):
                yield ready
                (place,) = self.places(word, at.evaluate(names), names)
                self.notified.add(place)
                self.words[place] = value.evaluate(names) + (self.words[place] if how == "add" else 0)
            case Barrier():
                core = (rank, names["pid"])
                self.joined[core] += 1
                turn = self.joined[core]
                self.arrived[turn] += 1
                yield lambda: self.arrived[turn] == self.ranks * self.cores
            case EpochLoad(name):
                names[name] = self.epochs[rank, names["pid"], self.running[rank]] + 1
            case EpochStore(name):
                self.epochs[rank, names["pid"], self.running[rank]] = names[name]
            case Aim() | After() | Fence() | EpochAfter():
                self.bind(op, names)
            case _:
                raise PlanError(f"no such operation: {op}")

    def quieted(self, op: Quiet, names: dict[str, int]) -> Callable[[], bool]:
        """Whether what a quiet waits for has arrived: the puts of a queue, or all of the core's."""
        if op.peer is not None and op.queue is not None:
            own = [(names["rank"], op.peer.evaluate(names), op.queue.evaluate(names))]
        else:
            own = [(names["rank"], to, -1 - names["pid"]) for to in range(self.ranks)]
        return lambda: all(self.engine.empty(place) for place in own)

    def places(self, word: Word, rank: int, names: dict[str, int]) -> Iterator[Place]:
        axes = self.regions[word.words]
        index = [at.evaluate(names) for _, at in word.index]
        if [axis for axis, _ in word.index] != [axis for axis, _ in axes]:
            raise PlanError(f"{word.words} is indexed by {word.index}")
        count = 1 if word.count is None else word.count.evaluate(names)
        for n in range(count):
            at = (*index[:-1], index[-1] + n)
            if any(not 0 <= i < extent for i, (_, extent) in zip(at, axes, strict=True)):
                raise PlanError(f"{word.words}{at} is outside {axes}")
            yield self.at(rank), word.words, at

    def at(self, rank: int) -> int:
        if not 0 <= rank < self.ranks:
            raise PlanError(f"there is no rank {rank}")
        return rank

    def bind(self, op: Op, names: dict[str, int]) -> None:
        """What orders or aims, and moves nothing: an address that is meant to be bound is."""
        core = (names["rank"], names["pid"])
        if isinstance(op, Aim):
            self.aims[core] = self.aim(op.target, names)
        if isinstance(op, After) and op.aimed and (core not in self.aims or self.aims[core][1] != op.memory):
            raise PlanError(f"no address in {op.memory} is bound")

    def aim(self, target: Access, names: dict[str, int]) -> Place:
        """Where an access starts."""
        rank = names["rank"] if target.rank is None else target.rank.evaluate(names)
        return rank, target.memory, tuple(at.evaluate(names) for _, at in target.index)

    def copy(self, op: Copy | Load | Store, names: dict[str, int]) -> None:
        core = (names["rank"], names["pid"])
        if isinstance(op, Store) and op.aimed and self.aims.get(core) != self.aim(op.target, names):
            raise PlanError(f"the address that is bound is not that of {op.target}")
        if isinstance(op, Copy | Load):
            self.loaded[core] = [self.read(place) for place in self.places_of(op.source, op.tile, names)]
        if isinstance(op, Copy | Store):
            for place, element in zip(self.places_of(op.target, op.tile, names), self.loaded.pop(core), strict=True):
                self.write(place, element)
        if isinstance(op, Copy) and op.flag is not None:
            for flag in self.flags_of(op.target, op.tile, names):
                self.flags[flag] = op.flag.evaluate(names)

    def places_of(self, access: Access, tile: tuple[TileAxis, ...], names: dict[str, int]) -> list[Place]:
        """Where the elements of a tile that lie on its axes are."""
        long = {t.axis for t in tile if self.passes(access, t, names)}
        return [self.place(access, more, names, long) for more in self.tile(tile, names)]

    def passes(self, access: Access, tile: TileAxis, names: dict[str, int]) -> bool:
        """Whether a tile lies on a run: elements of several axes, counted along the innermost."""
        return tile.extent.evaluate(names) > dict(self.extents[access.memory])[tile.axis]

    def tile(self, tile: tuple[TileAxis, ...], names: dict[str, int]) -> Iterator[dict[str, int]]:
        """How far each element of a tile is from the tile's start, along each axis."""
        for offsets in product(*(self.offsets(axis, names) for axis in tile)):
            yield {t.axis: k for t, k in zip(tile, offsets, strict=True)}

    def flags_of(self, access: Access, tile: tuple[TileAxis, ...], names: dict[str, int]) -> set[Place]:
        """The flags of the blocks that hold a tile's elements: places whose last index counts blocks."""
        blocks = self.plan.memory(access.memory).flags
        if blocks is None:
            raise PlanError(f"{access.memory} has no flags")
        places = (self.place(access, more, names) for more in self.tile(tile, names))
        return {(rank, name, (*at[:-1], at[-1] // blocks.payload)) for rank, name, at in places}

    def offsets(self, axis: TileAxis, names: dict[str, int]) -> list[int]:
        """How far the tile's elements that lie on the axis are from its start."""
        sizes = {o.name: o.size.evaluate(names) for o in self.plan.offsets}
        start, end = axis.start.evaluate(names), axis.extent.evaluate(names)
        return [k for k in range(1 if axis.offsets is None else sizes[axis.offsets]) if start + k < end]

    def place(self, access: Access, more: dict[str, int], names: dict[str, int], long: Collection[str] = ()) -> Place:
        """Where an element is; what runs past the end of a `long` axis goes on along the next outer ones."""
        rank = names["rank"] if access.rank is None else access.rank.evaluate(names)
        if rank != names["rank"] and not self.plan.memory(access.memory).symmetric:
            raise PlanError(f"{access.memory} of another rank")
        index = [at.evaluate(names) + more.get(axis, 0) for axis, at in access.index]
        if long:
            for n, (_, extent) in reversed(list(enumerate(self.extents[access.memory]))[1:]):
                over, index[n] = divmod(index[n], extent)
                index[n - 1] += over
        return self.bounded(self.at(rank), access.memory, tuple(index))

    def bounded(self, rank: int, memory: str, index: tuple[int, ...]) -> Place:
        axes = self.extents[memory]
        if len(index) != len(axes) or any(not 0 <= i < n for i, (_, n) in zip(index, axes, strict=True)):
            raise PlanError(f"{memory}{index} is outside {axes}")
        return rank, memory, index

    def put(self, op: Put, names: dict[str, int]) -> None:
        peer = self.at(op.peer.evaluate(names))
        if peer == names["rank"]:
            raise PlanError("a put to the own rank")
        starts = [
            self.flat(a, tuple(at.evaluate(names) for _, at in a.index), a.memory) for a in (op.source, op.target)
        ]
        count = op.elements.evaluate(names)
        if count < 1:
            raise PlanError("a put of nothing")
        source, target = self.plan.memory(op.source.memory), self.plan.memory(op.target.memory)
        if (source.flags is None) != (target.flags is None):
            raise PlanError(f"a put from {source.name} to {target.name}, of which one has flag blocks")
        size = PIECE if source.flags is None else source.flags.block

        def bring(first: int, end: int) -> None:
            for n in range(first, end):
                one = (names["rank"], source.name, self.unflat(source.name, starts[0] + n))
                other = (peer, target.name, self.unflat(target.name, starts[1] + n))
                if source.flags is None:
                    self.move(one, other)
                else:
                    self.move_in_block(source.flags, one, other)

        if op.queue is None and not self.late:
            bring(0, count)
            return
        pieces = [partial(bring, n, min(n + size, count)) for n in range(0, count, size)]
        # Where there is no queue to tell, each core has its own.
        home = (names["rank"], peer, -1 - names["pid"] if op.queue is None else op.queue.evaluate(names))
        via = None if op.via is None else self.at(op.via.evaluate(names))
        if via in (names["rank"], peer):
            raise PlanError(f"a put to rank {peer} through rank {via}")
        self.engine.submit(home, names["pid"], Request(pieces, self.signal(op, peer, names)), op.submission)

    def move_in_block(self, flags: FlagBlocks, source: Place, target: Place) -> None:
        """Move one element of a row of flag blocks: of the data, of what is behind a row's end, or of a flag."""
        (block, within), (other, to) = (divmod(place[2][-1], flags.block) for place in (source, target))
        if within != to:
            raise PlanError(f"{source[1]}{source[2]} lies otherwise in its block than {target[1]}{target[2]}")
        one, another = ((*place[:2], place[2][:-1]) for place in (source, target))
        if within >= flags.payload:
            self.flags[(*another[:2], (*another[2], other))] = self.flags[(*one[:2], (*one[2], block))]
        elif block * flags.payload + within < self.extents[source[1]][-1][1]:
            places = ((*p[:2], (*p[2], b * flags.payload + within)) for p, b in ((one, block), (another, other)))
            self.move(*places)

    def signal(self, op: Put, peer: int, names: dict[str, int]) -> Callable[[], None] | None:
        """What sets the word that a put brings along."""
        if op.signal is None:
            return None
        (place,) = self.places(op.signal.word, peer, names)
        value = op.signal.value.evaluate(names)
        self.notified.add(place)

        def arrive() -> None:
            self.words[place] = value

        return arrive

    def lies(self, memory: str) -> tuple[int, ...]:
        """A memory's extents as elements lie: rows of flag blocks with their flags."""
        extents = tuple(extent for _, extent in self.extents[memory])
        flags = self.plan.memory(memory).flags
        return extents if flags is None else (*extents[:-1], flags.row.evaluate(self.fixed))

    def flat(self, access: Access, index: tuple[int, ...], memory: str) -> int:
        self.bounded(0, memory, index)
        flags = self.plan.memory(memory).flags
        if flags is not None:
            block, within = divmod(index[-1], flags.payload)
            index = (*index[:-1], block * flags.block + within)
        offset = 0
        for i, extent in zip(index, self.lies(memory), strict=True):
            offset = offset * extent + i
        return offset

    def unflat(self, memory: str, offset: int) -> tuple[int, ...]:
        index: list[int] = []
        for extent in reversed(self.lies(memory)):
            offset, i = divmod(offset, extent)
            index.insert(0, i)
        if offset:
            raise PlanError(f"a put runs past the end of {memory}")
        return tuple(index)

    def move(self, source: Place, target: Place) -> None:
        self.write(target, self.read(source))

    def read(self, place: Place) -> object:
        if place not in self.memory:
            raise PlanError(f"{place[1]}{place[2]} of rank {place[0]} is read and was never written")
        return self.memory[place]

    def write(self, place: Place, element: object) -> None:
        self.memory[place] = element
        self.stores[place] += 1
