"""Completing the puts of a core before a barrier and before its kernel ends, where nothing else has done so."""

from __future__ import annotations

from collections.abc import Iterable

from a2agen.ir.model import Phase, Schedule
from a2agen.ir.plan import Op, Put, Quiet, inner
from a2agen.passes import analysis
from a2agen.passes.lower.puts import quiet
from a2agen.passes.lower.transfer import Transfer


def before_barrier(schedule: Schedule, transfers: Iterable[Transfer], ops: Iterable[Op]) -> tuple[Op, ...]:
    """What a core does before it joins a barrier, which tells readers that what was put has arrived: `ops` came before
    it, of the `transfers`."""
    early = [t for t in transfers if t.puts and analysis.completion(t.phase) == "each"]
    if not analysis.quiets_by_queue(schedule):
        return (Quiet(),) if early and _pending(ops) else ()
    return _quiets(t for t in early if t.phase.ready.kind == "barrier")


def at_end(schedule: Schedule, transfers: Iterable[Transfer]) -> tuple[Op, ...]:
    """What a core does before its kernel ends: until then nothing may overwrite what its puts read."""
    late = [t for t in transfers if t.puts and not _completes(t.phase)]
    if not analysis.quiets_by_queue(schedule):
        return (Quiet(),) if any(analysis.completion(t.phase) == "end" for t in late) else ()
    return _quiets(late)


def _quiets(transfers: Iterable[Transfer]) -> tuple[Op, ...]:
    """A quiet for each peer and queue of transfers that leave puts on their way."""
    ops: list[Op] = []
    for t in transfers:
        loop = t.peers.loop(t.scope, t.lane(), t.lanes(), (quiet(t),), queues=t.phase.link.queues)
        ops += (op for op in loop if op not in ops)
    return tuple(ops)


def _completes(phase: Phase) -> bool:
    """Whether the puts of a phase are complete before it announces them."""
    return phase.ready.kind != "none" and analysis.completion(phase) == "each"


def _pending(ops: Iterable[Op]) -> bool:
    """Whether puts came that no quiet has completed yet."""
    open_ = False
    for op in flat(ops):
        open_ = isinstance(op, Put) or (open_ and not isinstance(op, Quiet))
    return open_


def flat(ops: Iterable[Op]) -> list[Op]:
    """The operations in order, those that one holds in its place."""
    return [leaf for op in ops for leaf in (flat(inner(op)) or [op])]
