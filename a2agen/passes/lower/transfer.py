"""One move of one phase as far as one writer feeds it: what it is, where its pieces lie, and by whom it is done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from a2agen.ir.expr import Const, Expr, Sym
from a2agen.ir.model import Move, Phase, Schedule, Storage, Who
from a2agen.ir.plan import Access, Let, Op
from a2agen.passes import analysis
from a2agen.passes.lower.arrival import Piece, arrival
from a2agen.passes.lower.peers import RANK, Peers, peers_of
from a2agen.passes.lower.scope import Scope
from a2agen.passes.lower.sync import LANE, Channel, slot_of

ZERO, ONE = Const(0), Const(1)


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
        return analysis.puts(self.schedule, self.phase)

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

    @property
    def about(self) -> str:
        who = "" if self.who == "all" else f" for {self.who}"
        return f"{self.phase.name}: {self.move.source.name} -> {self.move.target.name}{who}"

    # Where a task is

    def tile_size(self, axis: str) -> int:
        return self.phase.tile.size(axis) if self.phase.tile else 1

    def task_name(self, axis: str) -> str:
        """The variable that counts an axis's tasks: tiles, or single indices."""
        return self.scope.name("tile" if self.tile_size(axis) > 1 else "index", axis)

    def task_index(self, axis: str) -> Expr:
        return ZERO if self.scope.tiles(self.phase, axis) == ONE else Sym(self.task_name(axis))

    def can_pass_end(self, axis: str) -> bool:
        """Whether a single index can lie behind the end of its axis: in the last block."""
        return self.schedule.block_size(axis) not in (None, 1)

    def block_start(self, axis: str) -> Expr:
        """Where the current block starts, 0 outside the block loop."""
        if self.schedule.block_size(axis) is None or (self.puts and self.whole):
            return ZERO
        return self.scope.sym("blk") * self.scope.block_size()

    def split_axes(self) -> list[str]:
        """The axes that puts of single runs go over, outer first."""
        if not self.phase.link.split:
            return []
        run = analysis.common_run(self.schedule, self.phase, self.move)
        return [axis for axis in self.axes() if axis not in run]

    def queue_start(self, axis: str) -> Expr:
        """Where the current queue's part of a slab or block starts along an axis."""
        cut = self.puts and self.phase.link.queues > 1 and axis == self.axes()[0]
        return self.scope.sym("first", axis) if cut else ZERO

    def in_block(self, axis: str) -> Expr:
        """Where the current task or put starts within its block."""
        if self.puts:
            within = Sym(self.task_name(axis)) if axis in self.split_axes() else ZERO
            return self.queue_start(axis) + within
        return self.task_index(axis) * self.scope.tile_size(self.phase, axis)

    def start(self, axis: str) -> Expr:
        """Where the task starts along an axis, by the name that the task binds where it is worth one."""
        if self.puts:
            block = ZERO if self.block_start(axis) == ZERO else self.scope.sym("start", axis)
            return block + self.in_block(axis)
        value = self.block_start(axis) + self.in_block(axis)
        return value if isinstance(value, Const | Sym) else self.scope.sym("start", axis)

    def starts(self) -> tuple[Let, ...]:
        values = ((axis, self.block_start(axis) + self.in_block(axis)) for axis in self.axes())
        return tuple(Let(self.scope.name("start", a), v) for a, v in values if not isinstance(v, Const | Sym))

    def access(self, storage: Storage, rank: Expr | None, tokens: tuple[str, ...]) -> Access:
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
                at = RANK if storage.overlay else self.slab(storage)
            elif self.schedule.block_size(axis) is not None and storage.slots is not None:
                at = self.in_block(axis)
                if storage.overlay:
                    at = slot_of(self.schedule, self.scope, storage.slots.count) * self.scope.block_size() + at
            else:
                at = self.start(axis)
            index.append((axis, at))
        return Access(host.name, tuple(index), rank, tokens)

    def slab(self, storage: Storage) -> Expr:
        """Which slab of a storage: at the other end of a crossing the sender's own, else the peer's."""
        crosses_into = self.move.crosses and storage.name == self.move.target.name
        return RANK if crosses_into else self.peers.peer

    # Which word

    def own_index(self, index: dict[str, Expr]) -> dict[str, Expr]:
        """The coordinates of the word by which this transfer is announced."""
        axis = self.move.target.peer_axis
        return {**index, axis: self.slab(self.move.target)} if axis else index

    def arrival(self) -> tuple[tuple[Op, ...], tuple[str, ...]]:
        """The waits for words of what a task or put of this transfer reads, and the tokens to read it with."""
        if self.feed is None or not self.feed.by_word:
            return (), ()
        axis = self.move.source.peer_axis
        piece = Piece(
            size=lambda a: None if self.puts else self.tile_size(a),
            number=self.task_index,
            all_blocks=self.whole,
        )
        return arrival(self.feed, piece, (axis, self.peers.peer) if axis else None)

    # Who does it

    def lane(self) -> Expr:
        if self.phase.role.rest_of:
            return self.scope.sym("lane", self.phase.role.name)
        return Sym("pid") if self.phase.role.cores == "all" else LANE

    def lanes(self) -> Expr:
        if self.phase.role.rest_of:
            return self.scope.sym("lanes", self.phase.role.name)
        return analysis.CORES if self.phase.role.cores == "all" else Sym("lanes")


def transfers(schedule: Schedule, scope: Scope, phase: Phase, move: Move) -> list[Transfer]:
    """A move as one transfer for each phase that feeds it: each is a task loop of its own."""
    groups: dict[str, tuple[set[str], Channel | None]] = {}
    fed = {pair: (p, m) for pair, p, m in analysis.feeds(schedule, move)}
    for pair in move.pairs():
        channel = Channel(schedule, scope, *fed[pair]) if pair in fed else None
        if channel is not None and not channel.by_word and not channel.by_flag:
            channel = None
        # Flags have no words, and a name of words never has a blank in it.
        key = "" if channel is None else channel.region if channel.by_word else f"flags of {channel.phase.name}"
        groups.setdefault(key, (set(), channel))[0].add(pair)
    whole = Transfer(schedule, scope, phase, move, move.who, None)
    return [
        replace(whole, who="all" if len(pairs) == 2 else next(iter(pairs)), feed=channel)  # type: ignore[arg-type]
        for pairs, channel in groups.values()
    ]
