"""Puts by the remote engine: `libshmem_device.putmem`, `putmem_nbi` and `putmem_signal_nbi`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from a2agen.engines.cpu.blocks import Array
from a2agen.engines.cpu.errors import UnsupportedError
from a2agen.engines.cpu.machine import Core, Machine
from a2agen.engines.cpu.memory import Pointer, run_of
from a2agen.engines.cpu.order import Thread, join
from a2agen.engines.cpu.signals import Signals

# Chance that a put arrives before the core goes on; otherwise it does by its next quiet.
AT_ONCE = 0.5
# Lengths of aclshmem's puts.
LENGTH_LIMIT = 1 << 32


@dataclass(frozen=True, slots=True)
class Signal:
    """The word that a put brings along: what it is set to, or what is added to it."""

    word: Pointer
    value: int
    adds: bool


class Puts:
    """Writes of contiguous bytes to a peer, complete at a quiet."""

    def __init__(self, machine: Machine, signals: Signals) -> None:
        self._machine = machine
        self._signals = signals

    def put(
        self,
        target: Pointer,
        source: Pointer,
        nbytes: int,
        pe: int,
        site: int,
        blocking: bool,
        signal: Signal | None = None,
    ) -> None:
        """Copy `nbytes` from this rank's `source` to `target` at rank `pe`, then do what the signal says."""
        machine = self._machine
        core = machine.begin()
        for pointer in (target, source):
            if type(pointer) is not Pointer or pointer.shape:
                raise UnsupportedError("putmem takes scalar pointers")
        for token in (*target.tokens, *source.tokens, *(signal.word.tokens if signal is not None else ())):
            token.use()
        if target.element is not source.element:
            raise UnsupportedError(f"putmem from {source.element} to {target.element}")
        peer = self._signals.peer(core, target, pe, site, "putmem")
        self._check_queue(core, peer, site)
        if nbytes >= LENGTH_LIMIT and machine.model.one_core_per_queue:
            raise UnsupportedError(f"putmem of {nbytes} bytes: its length has 32 bits")
        if nbytes <= 0:
            return
        end = source.base + nbytes
        from_bytes = machine.bytes_of(source.span, source.rank, source.base, end, site, "put's read")
        to_bytes = machine.bytes_of(target.span, peer, target.base, target.base + nbytes, site, "put's write")
        if from_bytes is None or to_bytes is None:
            return
        mode = machine.model.put if blocking else "none"
        if machine.order:
            self._order(core, target, source, nbytes, peer, site, mode)
        arrive = None
        if signal is not None:
            access = self._signal_access(core, target, source, site)
            arrive = self._signals.brought(core, signal.word, peer, signal.value, signal.adds, access)
        self._send(core, target, peer, source, nbytes, mode, arrive)

    def _check_queue(self, core: Core, peer: int, site: int) -> None:
        machine = self._machine
        if peer == core.rank and not machine.model.put_to_self:
            machine.complain("put-to-self", core, site, f"putmem to the own rank {peer}")
        if not machine.model.one_core_per_queue:
            return
        owner = machine.queues.setdefault((core.rank, machine.launches[core.rank], peer), core.pid)
        if owner != core.pid:
            text = f"cores {owner} and {core.pid} of rank {core.rank} both use its one queue to PE {peer}"
            machine.complain("shared-queue", core, site, text)

    def _order(
        self, core: Core, target: Pointer, source: Pointer, nbytes: int, peer: int, site: int, mode: str
    ) -> None:
        order = self._machine.order
        assert order is not None
        tokens = (*source.tokens, *target.tokens)
        core.put_tokens.extend(tokens)
        part = run_of(nbytes)
        order.read(source.span, source.rank, part, source.base, core.put.at(site, tokens))
        if mode != "none":
            # The source is the core's again; the epoch that follows is the write's.
            core.publish(core.put)
        order.write(target.span, peer, part, target.base, core.put.at(site, tokens))
        if mode == "remote":
            for token in tokens:
                join(core.clock, token.clock)
            core.publish(core.put)

    def _signal_access(self, core: Core, target: Pointer, source: Pointer, site: int) -> Thread:
        """The signal as an access of its own: behind the data of its put, what that comes after, and the waits that all
        threads of the core have come out of, but no later put of the core."""
        clock = core.clock.copy()
        if self._machine.order:
            clock[core.thread.number] = max(clock[core.thread.number], core.seen)
            for token in (*source.tokens, *target.tokens):
                join(clock, token.clock)
        access = Thread(core.put.number, clock)
        access.epoch = core.put.epoch
        core.put.epoch += 1
        return access.at(site)

    def _send(
        self,
        core: Core,
        target: Pointer,
        peer: int,
        source: Pointer,
        nbytes: int,
        mode: str,
        arrive: Callable[[], None] | None,
    ) -> None:
        machine = self._machine
        allocation = target.span.allocation
        from_memory, to_memory = source.span.allocation.memory[source.rank], allocation.memory[peer]
        assert from_memory is not None
        assert to_memory is not None
        taken: Array = np.asarray(from_memory[source.base : source.base + nbytes])
        if mode != "none":
            taken = taken.copy()
        into = to_memory[target.base : target.base + nbytes]

        def complete() -> None:
            into[...] = taken
            if allocation.waiters:
                machine.wake(allocation, peer)
            if arrive is not None:
                arrive()

        if mode == "remote" or machine.scheduler.draw() < AT_ONCE:
            complete()
        else:
            core.puts.append(complete)
