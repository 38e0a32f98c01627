"""Announcing and waiting: the operations that a protocol row stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from a2agen.ir.expr import Const, Expr, Sym
from a2agen.ir.model import Move, Phase, Schedule
from a2agen.ir.plan import Fence, Loop, Notify, Op, Wait, Word
from a2agen.passes import analysis, words
from a2agen.passes.lower.peers import RANK
from a2agen.passes.lower.scope import Scope
from a2agen.passes.protocol.table import Protocol

EPOCH = Sym("epoch")
LANE = Sym("lane")
EMPTY, FULL = Const(0), Const(1)


@dataclass(frozen=True, slots=True)
class Channel:
    """The words between the phase that writes a storage and whoever waits for it."""

    schedule: Schedule
    scope: Scope
    phase: Phase
    move: Move

    @property
    def protocol(self) -> Protocol:
        return analysis.protocol(self.schedule, self.phase, self.move)

    @property
    def announces(self) -> bool:
        """Whether somebody must learn that the move is done."""
        return analysis.announced(self.schedule, self.move)

    @property
    def by_word(self) -> bool:
        """Whether words tell it: set by a core, or brought along by a put."""
        return self.phase.ready.kind in words.BY_WORD and self.announces

    @property
    def by_flag(self) -> bool:
        """Whether the data itself tells it, by flags that travel with it."""
        return self.phase.ready.kind == "flag" and self.announces

    @property
    def region(self) -> str:
        """The name of the words."""
        return words.words_name(self.schedule, self.phase, self.move)

    def word(self, index: dict[str, Expr], share: Expr | None) -> Word:
        """The word at the coordinates given: that of one core or queue that shares in the announcement, or with no
        `share` the words of all of them."""
        region = words.phase_words(self.schedule, self.phase, self.move)
        axes = [axis for axis, _ in region.axes]
        count = None
        if words.LANE in axes:
            lanes = self.scope.role_lanes(self.phase.role)
            index = {**index, words.LANE: Const(0) if share is None else share}
            count = lanes if share is None else None
        if words.QUEUE in axes:
            index = {**index, words.QUEUE: Const(0) if share is None else share}
            count = Const(self.phase.link.queues) if share is None else None
        fixed = {analysis.HALF: Sym("half"), words.BLOCK: self.scope.sym("blk"), **index}
        if analysis.SLOT in axes:
            fixed[analysis.SLOT] = self.slot()
        return Word(region.name, tuple((axis, fixed[axis]) for axis in axes), count)

    def slot(self) -> Expr:
        """The slot of the current block."""
        assert self.move.target.slots is not None
        return slot_of(self.schedule, self.scope, self.move.target.slots.count)

    def value(self) -> Expr:
        """What a core announces."""
        return EPOCH if self.protocol.word_value == "round" else FULL

    def complete(self) -> Expr:
        """What a waiter sees when every core has announced."""
        if words.several_announce(self.schedule, self.phase) and words.adds(self.schedule):
            lanes = self.scope.role_lanes(self.phase.role)
            if self.value() == FULL:
                return lanes
            # A word in a half is added to in every other launch only.
            doubled = analysis.doubled(self.schedule, self.phase, self.move)
            return (EPOCH + 1) // 2 * lanes if doubled else EPOCH * lanes
        return self.value()

    def enter(self, peer: Expr, token: str) -> tuple[Wait, ...]:
        """Wait until a peer's memory may be written in this launch."""
        if not analysis.enters(self.schedule, self.phase, self.move):
            return ()
        return (Wait(Word(words.ENTERED, (("from", peer),)), EPOCH, token),)

    def claim(self, index: dict[str, Expr], rank: Expr | None, token: str) -> tuple[Wait, ...]:
        """Wait until the reader has emptied a tile's place."""
        if not self.protocol.mailbox:
            return ()
        return (Wait(self.word(index, None), EMPTY, token, rank),)

    def announce(
        self, index: dict[str, Expr], rank: Expr, share: Expr | None, tokens: tuple[str, ...] = ()
    ) -> tuple[Op, ...]:
        """Tell `rank` that a tile, block or slab is there; a fence or quiet has gone before."""
        several = words.several_announce(self.schedule, self.phase)
        adds = several and words.adds(self.schedule)
        # Adding the same number in every launch lets the word count launches; the waiter knows how many times.
        value = FULL if adds else self.value()
        how: Literal["set", "add"] = "add" if adds else "set"
        afar = rank != RANK and analysis.leaves_node(self.schedule, self.phase)
        return (Notify(self.word(index, share), rank, value, how, tokens, between_nodes=afar), *self._settle())

    def await_(self, index: dict[str, Expr], token: str) -> tuple[Op, ...]:
        """Wait until a tile, block or slab has arrived."""
        return (Wait(self.word(index, None), self.complete(), token),)

    def release(self, index: dict[str, Expr]) -> tuple[Op, ...]:
        """Tell the writer that a tile has been read."""
        if not self.protocol.mailbox:
            return ()
        return (Fence(), Notify(self.word(index, None), RANK, EMPTY), *self._settle())

    def _settle(self) -> tuple[Op, ...]:
        """On a GPU the next wait for the same word must not see what it held before this core's own notify."""
        if self.protocol.mailbox and self.schedule.target.vendor == "nvidia":
            return (Fence(after_notify=True),)
        return ()


def together(token: str, ops: tuple[Op, ...]) -> tuple[Op, ...]:
    """The same, but behind a loop `token` stands for all of its waits."""
    return tuple(replace(op, body=_adding(op.body), token=token) if isinstance(op, Loop) else op for op in ops)


def _adding(ops: tuple[Op, ...]) -> tuple[Op, ...]:
    found: list[Op] = []
    for op in ops:
        match op:
            case Loop():
                found.append(replace(op, body=_adding(op.body)))
            case Wait():
                found.append(replace(op, adds=True))
            case _:
                found.append(op)
    return tuple(found)


def slot_of(schedule: Schedule, scope: Scope, count: int) -> Sym:
    """The variable of the slot that the current block uses in a buffer with so many slots."""
    counts = {s.slots.count for s in schedule.buffers if s.slots is not None}
    return scope.sym("slot") if len(counts) == 1 else scope.sym("slot of", str(count))
