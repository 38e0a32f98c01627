"""What each part of a move does, by when: before the block loop, in it, and after it."""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.ir.expr import Const
from a2agen.ir.plan import Fence, Op
from a2agen.passes import analysis
from a2agen.passes.lower.copies import copies
from a2agen.passes.lower.flat import flat_announcements, flat_copies
from a2agen.passes.lower.peers import RANK
from a2agen.passes.lower.puts import announce_slabs as announce_put_slabs
from a2agen.passes.lower.puts import entered, puts
from a2agen.passes.lower.transfer import Transfer

ZERO, ONE = Const(0), Const(1)


@dataclass(frozen=True, slots=True)
class Part:
    """What one part of a move does, by when: before the block loop, in it, and after it."""

    before: tuple[Op, ...] = ()
    inside: tuple[Op, ...] = ()
    after: tuple[Op, ...] = ()


def part(transfer: Transfer) -> Part:
    """A transfer's share of the program of its cores."""
    schedule, unit = transfer.schedule, transfer.phase.ready.unit
    if analysis.launcher_tiles(schedule, transfer.phase):
        program = (schedule, transfer.scope, transfer.phase, transfer.move)
        return Part(inside=(*flat_copies(*program), *flat_announcements(*program)))
    body = puts(transfer) if transfer.puts else copies(transfer)
    if not transfer.channel.by_word or unit == "tile":
        return Part(before=body) if transfer.whole and schedule.block else Part(inside=body)
    announce = announce_put_slabs(transfer) if transfer.puts else _announce_slabs(transfer)
    first = entered(transfer) if transfer.puts else ()
    if schedule.block is None or unit == "block":
        return Part(before=first, inside=(*body, *announce))
    if transfer.whole:
        return Part(before=(*first, *body, *announce))
    return Part(before=first, inside=body, after=announce)


def _announce_slabs(t: Transfer) -> tuple[Op, ...]:
    """Announce blocks or slabs to every peer, when this core has done its part of them."""
    peers = t.peers
    rank = peers.peer if t.move.crosses else RANK
    # A core that had nothing for a peer must not announce a launch that the peer has not entered: the peer may
    # still wait for the word to equal the launch before.
    enter = t.channel.enter(peers.peer, t.scope.name("admitted")) if t.remote else ()
    tokens = tuple(wait.token for wait in enter)
    notify = (*enter, *t.channel.announce(t.own_index({}), rank, t.lane(), tokens))
    first, step = (t.lane(), t.lanes()) if t.phase.role.per_peer else (ZERO, ONE)
    return (Fence(), *peers.loop(t.scope, first, step, notify))
