"""The peers that a move is for, and the loops over them."""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.ir.expr import Const, Expr, Sym
from a2agen.ir.model import TO, Phase, Schedule, Storage, Who
from a2agen.ir.plan import Let, Loop, Op
from a2agen.passes.lower.scope import Scope

RANK = Sym("rank")


@dataclass(frozen=True, slots=True)
class Peers:
    """The ranks that a move is for: `count` of them, the i-th given by `nth`; the own rank alone where `count` is
    None."""

    variable: Sym
    count: Expr | None
    ranks: Sym
    offset: Expr

    @property
    def peer(self) -> Expr:
        """The peer inside the loop."""
        return RANK if self.count is None else self.variable

    def nth(self, i: Expr) -> Expr:
        return i if self.offset == Const(0) else (self.offset + i) % self.ranks

    def relay(self, scope: Scope) -> Expr:
        """The first rank after the current peer that is neither that nor the own one, of three ranks or more."""
        return (self.offset + (self.counter(scope) + 1) % (self.ranks - 1)) % self.ranks

    def bind(self, i: Expr) -> tuple[Op, ...]:
        """Bind the peer variable, given how many peers went before; nothing where `i` is that variable."""
        return () if self.count is None or i == self.variable else (Let(self.variable.name, self.nth(i)),)

    def counter(self, scope: Scope) -> Sym:
        """A loop variable that counts peers: the peer variable itself where they go up from 0."""
        return self.variable if self.offset == Const(0) else scope.sym("i")

    def loop(
        self, scope: Scope, first: Expr, step: Expr, body: tuple[Op, ...], about: str = "", queues: int = 1
    ) -> tuple[Op, ...]:
        """The body once for each peer, or for each of its queues, beginning with the `first`, every `step`."""
        if self.count is None:
            return body
        counter = self.counter(scope)
        if queues > 1:
            pair = scope.sym("pair")
            lets = (Let(counter.name, pair // queues), Let(scope.name("queue"), pair % queues))
            inner = (*lets, *self.bind(counter), *body)
            return (Loop(pair.name, first, self.count * queues, step, inner, about),)
        return (Loop(counter.name, first, self.count, step, (*self.bind(counter), *body), about),)


def peers_of(schedule: Schedule, scope: Scope, phase: Phase, storage: Storage, who: Who) -> Peers:
    """The peers by which a storage is indexed, as far as they are `who`.

    The other ranks are taken from the next one on, so that not all of them send to one rank at once; all ranks from 0
    on, or from the own one on where the phase is staggered.
    """
    ranks = Sym(schedule.exchange.ranks)
    variable = scope.peer(storage.peer_axis or TO)
    if who == "self" or storage.side == "own":
        return Peers(variable, None, ranks, RANK)
    if who == "others":
        return Peers(variable, ranks - 1, ranks, RANK + 1)
    return Peers(variable, ranks, ranks, RANK if phase.staggered else Const(0))
