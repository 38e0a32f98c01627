"""One move of one phase: its task loop, what each task copies or puts, and how that is waited for and announced."""

from __future__ import annotations

from dataclasses import dataclass, replace

from a2agen.ir.expr import Const, Expr, Min, Sym, mul
from a2agen.ir.model import Move, Phase, Schedule, Storage, Who
from a2agen.ir.plan import Access, Copy, Fence, Let, Loop, Op, Put, Quiet, TileAxis
from a2agen.passes import analysis, words
from a2agen.passes.lower.arrival import Piece, arrival
from a2agen.passes.lower.peers import RANK, Peers, peers_of
from a2agen.passes.lower.scope import Scope
from a2agen.passes.lower.sync import LANE, Channel, slot_of

ZERO, ONE = Const(0), Const(1)


@dataclass(frozen=True, slots=True)
class Part:
    """What one part of a move does, by when: before the block loop, in it, and after it."""

    before: tuple[Op, ...] = ()
    inside: tuple[Op, ...] = ()
    after: tuple[Op, ...] = ()


@dataclass(frozen=True, slots=True)
class Transfer:
    """A move as far as one writer feeds it: `who` of the move's pairs, `feed` the channel of the writer, if any
    announces."""

    schedule: Schedule
    scope: Scope
    phase: Phase
    move: Move
    who: Who
    feed: Channel | None

    # What the transfer is

    @property
    def channel(self) -> Channel:
        return Channel(self.schedule, self.scope, self.phase, self.move)

    @property
    def puts(self) -> bool:
        return self.schedule.target.link(self.phase.link.name).kind == "put"

    @property
    def whole(self) -> bool:
        """Whether it happens before the block loop, a slab at a time."""
        return analysis.at_once(self.schedule, self.phase, self.move)

    @property
    def remote(self) -> bool:
        return self.move.crosses and self.who != "self"

    @property
    def peers(self) -> Peers:
        side = self.move.target if self.move.source.side == "own" else self.move.source
        return peers_of(self.schedule, self.scope, self.phase, side, self.who)

    def axes(self) -> list[str]:
        """The axes that tasks run over, outer first: those of the data, without the peers."""
        layout = self.move.source.layout.axes
        return [a for a in layout if a not in ("to", "from")]

    # The program

    def lower(self) -> Part:
        body = self._puts() if self.puts else self._copies()
        if not self.channel.by_notify or self.phase.ready.unit == "tile":
            return Part(before=body) if self.whole and self.schedule.block else Part(inside=body)
        if self.schedule.block is None:
            return Part(inside=(*body, *self._announce_slabs()))
        if self.phase.ready.unit == "block":
            return Part(inside=(*body, *self._announce_slabs()))
        if self.whole:
            return Part(before=(*body, *self._announce_slabs()))
        return Part(inside=body, after=self._announce_slabs())

    def _copies(self) -> tuple[Op, ...]:
        """The task loop of a load/store link."""
        peers, phase = self.peers, self.phase
        counts = [(a, n) for a in self.axes() if (n := self.scope.tiles(phase, a)) != ONE]
        named = [(Sym(self._task_name(axis)), count) for axis, count in counts]
        starts = self._starts()
        taken = {name.name for name, _ in named}
        common = tuple(let for let in starts if taken.isdisjoint(let.value.names()))
        own = tuple(let for let in starts if let not in common)
        if phase.role.per_peer:
            inner = _nest(named, ZERO, ONE, (*own, *self._task()))
            return (*common, *peers.loop(self.scope, self._lane(), self._lanes(), inner, self._about()))
        if peers.count is not None:
            named.append((peers.counter(self.scope), peers.count))
        body = (*self._bind_peer(peers), *own, *self._task())
        return (*common, *_nest(named, self._lane(), self._lanes(), body, self._about()))

    def _about(self) -> str:
        who = "" if self.who == "all" else f" for {self.who}"
        return f"{self.phase.name}: {self.move.source.name} -> {self.move.target.name}{who}"

    def _bind_peer(self, peers: Peers) -> tuple[Op, ...]:
        return peers.bind(peers.counter(self.scope))

    def _task(self) -> tuple[Op, ...]:
        """Copy one tile, between its waits and its announcement."""
        index = {axis: self._task_index(axis) for axis in self.axes()}
        peer = self.peers.peer
        rank = peer if self.remote else None
        ops: list[Op] = []
        source_tokens: tuple[str, ...] = ()
        target_tokens: tuple[str, ...] = ()
        if self.feed is not None:
            waits, source_tokens = self._arrival()
            ops += waits
        if self.channel.by_notify:
            enter = self.channel.enter(peer, self.scope.name("admitted")) if self.remote else ()
            claim = self.channel.claim(self._own_index(index), rank, self.scope.name("emptied"))
            ops += [*enter, *claim]
            target_tokens = tuple(wait.token for wait in (*enter, *claim))
        tile = tuple(
            TileAxis(a, self._start(a), self.schedule.exchange.extent(a), self.scope.tile_offsets(self.phase, a))
            for a in self.axes()
            if _size(self.phase, a) > 1 or self._can_pass_end(a)
        )
        ops.append(
            Copy(
                self._access(self.move.source, None, source_tokens),
                self._access(self.move.target, rank, target_tokens),
                tile,
            )
        )
        if self.feed is not None:
            # What is freed tile by tile is read in the same tiles.
            source_peer = self.move.source.peer_axis
            ops += self.feed.release({**index, source_peer: peer} if source_peer else index)
        if self.channel.by_notify and self.phase.ready.unit == "tile":
            ops += [Fence(), *self.channel.announce(self._own_index(index), peer if self.move.crosses else RANK, None)]
        return tuple(ops)

    def _puts(self) -> tuple[Op, ...]:
        """The puts of each peer's slab, or of the current block of it: one, or one for each run of memory."""
        peers = self.peers
        tokens: tuple[str, ...] = ()
        source_tokens: tuple[str, ...] = ()
        ops: list[Op] = []
        if self.feed is not None:
            waits, source_tokens = self._arrival()
            ops += waits
        if self.channel.by_notify:
            enter = self.channel.enter(peers.peer, self.scope.name("admitted"))
            ops += enter
            tokens = tuple(wait.token for wait in enter)
        axis = None if self.whole else analysis.block_axis(self.schedule)
        counts: dict[str, Expr] = {a: self.scope.sym("rows") if a == axis else Sym(a) for a in self.axes()}
        elements = mul(*(counts[a] for a in self.axes() if a not in self._split_axes()))
        source, target = (
            self._access(self.move.source, None, source_tokens),
            self._access(self.move.target, None, tokens),
        )
        put: Op = Put(source, target, elements, peers.peer)
        for a in reversed(self._split_axes()):
            put = Loop(self._task_name(a), ZERO, counts[a], ONE, (put,))
        ops.append(put)
        announce: tuple[Op, ...] = ()
        if self.channel.by_notify and (self.whole or self.phase.ready.unit == "block"):
            announce = (Quiet(), *self.channel.announce(self._own_index({}), peers.peer, self._lane()))
        loop = peers.loop(self.scope, self._lane(), self._lanes(), (*ops, *announce), self._about())
        if axis is None:
            return loop
        start = self._block_start(axis)
        return (
            Let(self.scope.name("start", axis), start),
            Let(self.scope.name("rows"), Min(self.scope.block_size(), Sym(axis) - self.scope.sym("start", axis))),
            *loop,
        )

    def _announce_slabs(self) -> tuple[Op, ...]:
        """Announce blocks or slabs to every peer, when this core has done its part of them."""
        if self.puts and (self.whole or self.phase.ready.unit == "block"):
            return ()  # each put announced itself
        peers = self.peers
        rank = peers.peer if self.move.crosses else RANK
        # A core that had nothing for a peer must not announce a launch that the peer has not entered: the peer may
        # still wait for the word to equal the launch before.
        enter = self.channel.enter(peers.peer, self.scope.name("admitted")) if self.remote else ()
        tokens = tuple(wait.token for wait in enter)
        notify = (*enter, *self.channel.announce(self._own_index({}), rank, self._lane(), tokens))
        first, step = (self._lane(), self._lanes()) if self.phase.role.per_peer else (ZERO, ONE)
        return (Quiet() if self.puts else Fence(), *peers.loop(self.scope, first, step, notify))

    # Where a task is

    def _task_name(self, axis: str) -> str:
        """The variable that counts an axis's tasks: tiles, or single indices."""
        tiled = self.phase.tile is not None and self.phase.tile.size(axis) > 1
        return self.scope.name("tile" if tiled else "index", axis)

    def _task_index(self, axis: str) -> Expr:
        return ZERO if self.scope.tiles(self.phase, axis) == ONE else Sym(self._task_name(axis))

    def _can_pass_end(self, axis: str) -> bool:
        """Whether a single index can lie behind the end of its axis: in the last block."""
        return self.schedule.block_size(axis) not in (None, 1)

    def _block_start(self, axis: str) -> Expr:
        """Where the current block starts, 0 outside the block loop."""
        if self.schedule.block_size(axis) is None or (self.puts and self.whole):
            return ZERO
        return self.scope.sym("blk") * self.scope.block_size()

    def _split_axes(self) -> list[str]:
        """The axes that puts of single runs go over, outer first."""
        if not self.phase.link.split:
            return []
        run = analysis.common_run(self.schedule, self.phase, self.move)
        return [axis for axis in self.axes() if axis not in run]

    def _in_block(self, axis: str) -> Expr:
        """Where the current task or put starts within its block."""
        if self.puts:
            return Sym(self._task_name(axis)) if axis in self._split_axes() else ZERO
        return self._task_index(axis) * self.scope.tile_size(self.phase, axis)

    def _start(self, axis: str) -> Expr:
        """Where the task starts along an axis, by the name that the task binds where it is worth one."""
        if self.puts:
            block = ZERO if self._block_start(axis) == ZERO else self.scope.sym("start", axis)
            return block + self._in_block(axis)
        value = self._block_start(axis) + self._in_block(axis)
        return value if isinstance(value, Const | Sym) else self.scope.sym("start", axis)

    def _starts(self) -> tuple[Let, ...]:
        values = ((axis, self._block_start(axis) + self._in_block(axis)) for axis in self.axes())
        return tuple(Let(self.scope.name("start", a), v) for a, v in values if not isinstance(v, Const | Sym))

    def _access(self, storage: Storage, rank: Expr | None, tokens: tuple[str, ...]) -> Access:
        """Where the task's data lies in a storage; an overlay lies in the own-rank slab of its host."""
        host = self.schedule.storage(storage.overlay) if storage.overlay else storage
        index: list[tuple[str, Expr]] = []
        for axis, _ in analysis.memory_axes(self.schedule, host):
            if axis == analysis.HALF:
                at: Expr = Sym("half")
            elif axis == analysis.SLOT:
                assert host.slots is not None
                at = slot_of(self.schedule, self.scope, host.slots.count)
            elif axis == host.peer_axis:
                at = RANK if storage.overlay else self._slab(storage)
            elif self.schedule.block_size(axis) is not None and storage.slots is not None:
                at = self._in_block(axis)
                if storage.overlay:
                    at = slot_of(self.schedule, self.scope, storage.slots.count) * self.scope.block_size() + at
            else:
                at = self._start(axis)
            index.append((axis, at))
        return Access(host.name, tuple(index), rank, tokens)

    def _slab(self, storage: Storage) -> Expr:
        """Which slab of a storage: at the other end of a crossing the sender's own, else the peer's."""
        crosses_into = self.move.crosses and storage.name == self.move.target.name
        return RANK if crosses_into else self.peers.peer

    # Which word

    def _own_index(self, index: dict[str, Expr]) -> dict[str, Expr]:
        """The coordinates of the word by which this transfer is announced."""
        axis = self.move.target.peer_axis
        return {**index, axis: self._slab(self.move.target)} if axis else index

    def _arrival(self) -> tuple[tuple[Op, ...], tuple[str, ...]]:
        """The waits for what a task or put of this transfer reads, and the tokens to read it with."""
        assert self.feed is not None
        axis, source = self.move.source.peer_axis, self.move.source
        piece = Piece(
            size=lambda a: None if self.puts else _size(self.phase, a),
            number=self._task_index,
            all_blocks=self.whole,
        )
        return arrival(self.feed, piece, (axis, self.peers.peer) if axis else None, source.overlay or source.name)

    # Who does it

    def _lane(self) -> Expr:
        if self.phase.role.rest_of:
            return self.scope.sym("lane", self.phase.role.name)
        return Sym("pid") if self.phase.role.cores == "all" else LANE

    def _lanes(self) -> Expr:
        if self.phase.role.rest_of:
            return self.scope.sym("lanes", self.phase.role.name)
        return analysis.CORES if self.phase.role.cores == "all" else Sym("lanes")


def _size(phase: Phase, axis: str) -> int:
    return phase.tile.size(axis) if phase.tile else 1


def _nest(
    counts: list[tuple[Sym, Expr]], first: Expr, step: Expr, body: tuple[Op, ...], about: str = ""
) -> tuple[Op, ...]:
    """One loop over all combinations of counters, the last running fastest; the counters are taken from its
    variable."""
    if not counts:
        # A single task, which the first core takes.
        return body if first == ZERO else (Loop("task", first, ONE, step, body, about),)
    if len(counts) == 1:
        return (Loop(counts[0][0].name, first, counts[0][1], step, body, about),)
    rest: Expr = Sym("task")
    lets: list[Op] = []
    for position, (counter, count) in enumerate(reversed(counts)):
        outermost = position == len(counts) - 1
        lets.append(Let(counter.name, rest if outermost else rest % count))
        rest = rest // count
    total = mul(*(count for _, count in counts))
    return (Loop("task", first, total, step, (*lets, *body), about),)


def transfers(schedule: Schedule, scope: Scope, phase: Phase, move: Move) -> list[Transfer]:
    """A move as one transfer for each phase that feeds it: each is a task loop of its own."""
    groups: dict[str, tuple[set[str], Channel | None]] = {}
    fed = {pair: (p, m) for pair, p, m in analysis.feeds(schedule, move)}
    for pair in move.pairs():
        channel = Channel(schedule, scope, *fed[pair]) if pair in fed else None
        if channel is not None and not channel.by_notify:
            channel = None
        key = "" if channel is None else words.words_name(schedule, channel.phase, channel.move)
        groups.setdefault(key, (set(), channel))[0].add(pair)
    whole = Transfer(schedule, scope, phase, move, move.who, None)
    return [
        replace(whole, who="all" if len(pairs) == 2 else next(iter(pairs)), feed=channel)  # type: ignore[arg-type]
        for pairs, channel in groups.values()
    ]
