"""Signal words: `dl.wait`, `dl.notify`, and fences."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from a2agen.engines.cpu import dtypes
from a2agen.engines.cpu.blocks import Array
from a2agen.engines.cpu.errors import Halt, UnsupportedError
from a2agen.engines.cpu.machine import Core, Machine
from a2agen.engines.cpu.memory import Allocation, Pointer, Token
from a2agen.engines.cpu.order import Clock, Thread, join
from a2agen.engines.cpu.scalars import Behind, Int64, plain
from a2agen.engines.cpu.words import Word

_SCOPES = ("cta", "gpu", "sys")
_SEMANTICS = ("acquire", "relaxed", "release", "acq_rel")
_ACQUIRE = ("acquire", "acq_rel")
# A wait for more drops those tokens of a core that have been used.
MOST_AWAITED = 64
_MASK64 = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a core waits for, for the words of a deadlock."""

    site: int
    pointer: Pointer
    byte: int
    wanted: int
    word: Word


class Signals:
    """Operations on signal words, and those that order a core's accesses."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._place = machine.sites.of
        # The last notify of each word, by allocation, rank and cache line: rank, core and place, by the word's byte.
        self._lines: dict[tuple[int, int, int], dict[int, tuple[int, int, int]]] = {}

    def consume_token(self, value: Any, token: Any) -> Any:
        """`dl.consume_token`: a pointer or number that comes after the wait of the token."""
        if not isinstance(token, Token):
            if type(token) is Behind:
                for part in token.tokens:
                    value = self.consume_token(value, part)
            elif not isinstance(token, int):
                raise UnsupportedError(f"dl.consume_token with {type(token).__name__} for a token")
            return value
        if token.clock is None:
            # Nothing is checked.
            return value
        token.consumed = True
        if token.parts:
            token.consume()
        if type(value) is Pointer:
            return value.carrying((token,))
        if type(value) is Behind:
            return Behind(value.plain, (*value.tokens, token))
        if type(value) in (int, Int64):
            return Behind(value, (token,))
        # A block is read already, and what becomes of it is not followed.
        token.use()
        return value

    def wait(
        self,
        barrierPtrs: Pointer,  # noqa: N803 - the names of arguments are Triton-Distributed's
        numBarriers: int,  # noqa: N803
        scope: str,
        semantic: str,
        waitValue: int = 1,  # noqa: N803
    ) -> Token:
        """`dl.wait`: until each of a number of words equals a value."""
        site = self._place(sys._getframe(1))
        if scope not in _SCOPES or semantic not in _SEMANTICS:
            raise UnsupportedError(f'dl.wait with scope "{scope}" and semantic "{semantic}"')
        pointer, count, value = barrierPtrs, index(numBarriers), index(waitValue)
        machine = self._machine
        core = machine.begin()
        if type(waitValue) is Behind or type(numBarriers) is Behind:
            plain(waitValue), plain(numBarriers)
        element = _check_word(pointer, "dl.wait", ("int32", "uint32", "int64", "uint64"))
        if pointer.tokens:
            _use(pointer)
        limit = machine.model.words_per_wait
        if limit is not None and count > limit:
            raise UnsupportedError(f"dl.wait for {count} words: a warp polls at most {limit}")
        stride = machine.model.word_stride or element.itemsize
        reach = "sys"
        if machine.model.wait_as_told:
            reach = scope if semantic in _ACQUIRE else "none"
        clock = self._wait_for_one(core, pointer, pointer.base, value, site, reach)
        for k in range(1, count):
            other = self._wait_for_one(core, pointer, pointer.base + k * stride, value, site, reach)
            if other is not None:
                clock = other if clock is None else np.maximum(clock, other)
        token = Token(clock)
        if machine.order is None:
            return token
        if clock is None:
            token.clock = machine.order.nothing
        if machine.model.strict_tokens:
            core.awaited.append((token, site))
            if len(core.awaited) > MOST_AWAITED:
                machine.settle_tokens(core, ended=False)
        if clock is not None:
            join(core.control, clock)
            machine.order.waits.setdefault(core.thread.number, {})[site] = clock
            if not machine.model.strict_tokens:
                join(core.clock, clock)
        return token

    def _wait_for_one(
        self, core: Core, pointer: Pointer, byte: int, wanted: int, site: int, reach: str
    ) -> Array | None:
        machine = self._machine
        allocation, rank, size = pointer.span.allocation, pointer.rank, pointer.element.itemsize
        memory = machine.bytes_of(pointer.span, rank, byte, byte + size, site, "wait")
        if memory is None:
            raise Halt("a wait on a word outside its tensor never ends")
        word = self._word(allocation, rank, byte)
        if machine.model.program_is_many_threads:
            place = (id(allocation), rank, byte)
            site_of_notify, held = core.notified.get(place, (0, ()))
            if wanted in held:
                text = f"wait for {pointer.span.place(byte, rank)}, which this program notified "
                where = machine.sites.words(site_of_notify)
                machine.complain("stale-wait", core, site, text + f"at {where} without tl.debug_barrier() since")
            core.waited[place] = site
        view: Array = np.ndarray((), f"i{size}", memory, byte)
        waiting = None
        while view != wanted:
            if waiting is None:
                waiting = Waiting(site, pointer, byte, wanted, word)
            word.waiters.append(core)
            allocation.waiters += 1
            machine.scheduler.block(waiting)
        if machine.order is None:
            return None
        clock = self._observe(core, pointer, byte, word, site)
        if clock is None or (reach == "sys" and not word.near):
            return clock
        writer, pid, _ = machine.order.maker(word.writer)
        far = word.near and core.rank != rank
        if not far and reach == "sys":
            return clock
        if not far and writer == core.rank and (reach == "gpu" or (reach == "cta" and pid == core.pid)):
            return clock
        seen = machine.order.unacquired.setdefault(core.thread.number, {}).setdefault(site, [])
        seen.append((word.readers[-1], clock))
        return None

    def _observe(self, core: Core, pointer: Pointer, byte: int, word: Word, site: int) -> Array | None:
        """Remember that a wait saw the word's value; gives what an acquiring wait comes after."""
        order = self._machine.order
        assert order is not None
        access = core.thread.at(site)
        if word.writer == 0:
            text = f"wait for {pointer.span.place(byte, pointer.rank)}: nothing wrote there"
            self._machine.complain("uninitialised", core, site, text)
        elif word.clock is None and not order.is_core(word.writer) and not order.ordered(word.writer, access):
            order.race(word.writer, "write", "read", pointer.span, pointer.rank, byte, access)
        word.observed = True
        word.readers.append(order.event(access))
        return word.clock

    def notify(
        self, ptr: Pointer, rank: int, signal: int = 1, sig_op: str = "set", comm_scope: str = "inter_node"
    ) -> None:
        """`dl.notify`: set or add to the word at `rank`, after what fences have completed."""
        site = self._place(sys._getframe(1))
        machine = self._machine
        core = machine.begin()
        pointer, value = ptr, index(signal)
        _check_word(pointer, "dl.notify", ("int64", "uint64"))
        if pointer.tokens:
            _use(pointer)
        if type(rank) is Behind or type(signal) is Behind:
            plain(rank), plain(signal)
        if sig_op not in ("set", "add"):
            raise UnsupportedError(f'dl.notify with sig_op="{sig_op}": it is "set" or "add"')
        if comm_scope not in ("gpu", "intra_node", "inter_node"):
            raise UnsupportedError(f'dl.notify with comm_scope="{comm_scope}"')
        rank = index(rank)
        span, byte = pointer.span, pointer.base
        if comm_scope == "gpu" and machine.model.gpu_scope_stays:
            rank = pointer.rank
        target = self.peer(core, pointer, rank, site, "dl.notify")
        if machine.several_nodes and target != core.rank and comm_scope != "inter_node":
            text = f'notify of {span.place(byte, target)} with comm_scope="{comm_scope}": that rank may be on another '
            machine.complain("beyond-node", core, site, text + 'node, which only comm_scope="inter_node" reaches')
        memory = machine.bytes_of(span, target, byte, byte + 8, site, "notify")
        if memory is None:
            return
        adds = sig_op == "add"
        if adds and not machine.model.adds:
            text = f'notify of {span.place(byte, target)} with sig_op="add" stores {value} on this target'
            machine.complain("add-stored", core, site, text)
            adds = False
        word = self._word(span.allocation, target, byte)
        view: Array = np.ndarray((), np.int64, memory, byte)
        if machine.model.program_is_many_threads:
            self._check_threads(core, pointer, target, int(view), site)
        if machine.model.line:
            self._check_line(core, pointer, target, site)
        if machine.order:
            self._check_change(core, core.thread.at(site), pointer, target, word, adds, int(view))
            core.publish(core.thread)
            orders = comm_scope != "inter_node" or machine.model.inter_node_orders
            near = comm_scope == "gpu" and machine.model.gpu_scope_stays
            self._release(word, core.control.copy() if orders else core.fenced, adds, near)
        else:
            word.told = (core.rank, core.pid, site)
        self._change(word, span.allocation, view, value, adds)

    def brought(
        self, core: Core, pointer: Pointer, rank: int, value: int, adds: bool, access: Thread
    ) -> Callable[[], None] | None:
        """What a put does to the word that it brings along, once its data is there; None where that lies outside its
        tensor, which is reported. `access` is the put's own, with what it comes after."""
        machine, span, byte = self._machine, pointer.span, pointer.base
        _check_word(pointer, "putmem_signal", ("uint64",))
        memory = machine.bytes_of(span, rank, byte, byte + 8, access.site, "signal")
        if memory is None:
            return None
        view: Array = np.ndarray((), np.int64, memory, byte)
        if machine.model.program_is_many_threads:
            self._check_threads(core, pointer, rank, int(view), access.site)

        def arrive() -> None:
            word = self._word(span.allocation, rank, byte)
            if machine.order:
                self._check_change(core, access, pointer, rank, word, adds, int(view))
                clock = access.clock.copy()
                clock[access.number] = access.epoch
                self._release(word, clock, adds)
            else:
                word.told = (core.rank, core.pid, access.site)
            self._change(word, span.allocation, view, value, adds)

        return arrive

    def _change(self, word: Word, allocation: Allocation, view: Array, value: int, adds: bool) -> None:
        """Store to a word, or add to it, and let those who wait for it look."""
        new = (int(view) + value if adds else value) & _MASK64
        view[...] = new - (1 << 64) if new >> 63 else new
        if word.waiters:
            waiters, word.waiters = word.waiters, []
            allocation.waiters -= len(waiters)
            for waiter in waiters:
                self._machine.scheduler.ready(waiter)

    def _check_threads(self, core: Core, pointer: Pointer, rank: int, old: int, site: int) -> None:
        """A slow thread of the program may still poll the word that a fast one now changes, or poll it next and find
        what it held before."""
        place = (id(pointer.span.allocation), rank, pointer.base)
        if place in core.waited:
            text = f"notify of {pointer.span.place(pointer.base, rank)}, which this program waits for "
            where = self._machine.sites.words(core.waited[place])
            text += f"at {where} without tl.debug_barrier() since"
            self._machine.complain("stale-wait", core, site, text)
        _, held = core.notified.get(place, (0, ()))
        core.notified[place] = (site, (*held, old))

    def _check_line(self, core: Core, pointer: Pointer, rank: int, site: int) -> None:
        """A store of a word writes its whole cache line back, and so what it last knew of the words beside it."""
        machine, span, byte = self._machine, pointer.span, pointer.base
        size = machine.model.line
        words = self._lines.setdefault((id(span.allocation), rank, byte // size), {})
        words[byte] = (core.rank, core.pid, site)
        for other, (at, pid, there) in words.items():
            if (at, pid) != (core.rank, core.pid) and other != byte:
                text = f"notify of {span.place(byte, rank)} writes back {size} bytes, in which rank {at} core {pid} "
                text += (
                    f"({machine.sites.words(there)}) notifies {span.name}[{span.element(other)}]: either can be lost"
                )
                machine.complain("shared-line", core, site, text)
                return

    def _check_change(
        self, core: Core, access: Thread, pointer: Pointer, rank: int, word: Word, adds: bool, old: int
    ) -> None:
        """Check that the word was this core's to change, by itself or by a put of its, and remember who did."""
        order = self._machine.order
        assert order is not None
        span, byte = pointer.span, pointer.base
        ordered = order.ordered(word.writer, access) or order.seen(word.readers, access)
        if word.writer and not (adds and word.adds) and not ordered:
            order.race(word.writer, "write", "write", span, rank, byte, access)
        for reader in word.readers:
            if not order.ordered(reader, access):
                order.race(reader, "read", "write", span, rank, byte, access)
        if old and not word.observed and not adds and not word.adds:
            what = "notify" if access.number < order.first_stream else "signal"
            text = f"{what} of {span.place(byte, rank)} overwrites {old} of {order.describe(word.writer)}, "
            text += "which no wait has seen"
            self._machine.complain("lost-signal", core, access.site, text)
        word.readers.clear()
        word.writer = order.notify(access) if access.number < order.first_stream else order.event(access)
        word.observed = False

    def _release(self, word: Word, released: Clock | None, adds: bool, near: bool = False) -> None:
        """Let waits for a word come after what its writer has done, and with adds after the other writers'; `near`:
        those of the word's own rank."""
        if adds and word.adds and word.clock is not None:
            released = word.clock if released is None else np.maximum(word.clock, released)
            near = near or word.near
        word.clock = released
        word.adds = adds
        word.near = near

    def _word(self, allocation: Allocation, rank: int, byte: int) -> Word:
        if self._machine.order:
            return self._machine.order.word(allocation, rank, byte)
        words = allocation.words[rank]
        found = words.get(byte)
        if found is None:
            found = words[byte] = Word(byte, 0, [])
        return found

    def peer(self, core: Core, pointer: Pointer, rank: int, site: int, what: str) -> int:
        """A rank that an operation names, which must exist, and have the memory."""
        if not 0 <= rank < self._machine.ranks:
            text = f"{what} names rank {rank} of {self._machine.ranks}"
            if rank < 0:
                text += self._machine.of_negative(core)
            raise self._machine.halt("out-of-bounds", core, site, text)
        if not pointer.span.allocation.symmetric and rank != pointer.rank:
            text = f"{what} of {pointer.span.name} at rank {rank}: it is not in symmetric memory"
            raise self._machine.halt("not-symmetric", core, site, text)
        return int(rank)

    def symm_at(self, ptr: Pointer, rank: int) -> Pointer:
        """`dl.symm_at`: the same place at another rank."""
        if type(ptr) is not Pointer or ptr.shape:
            raise UnsupportedError("dl.symm_at takes a scalar pointer")
        site = self._place(sys._getframe(1))
        machine = self._machine
        core = machine.core
        target = self.peer(core, ptr, index(rank), site, "dl.symm_at")
        if type(rank) is Behind:
            ptr = ptr.carrying(rank.tokens)
        if machine.several_nodes and target != core.rank:
            text = f"dl.symm_at of {ptr.span.name} at rank {target}: that rank may be on another node, where no load, "
            machine.complain("beyond-node", core, site, text + "store or wait goes; write there by a put")
        return ptr.at(target)

    # -- orders

    def fence(self) -> None:
        """Order the core's loads and stores before its later notifies; on a GPU, those of one thread only."""
        core = self._machine.begin()
        if self._machine.model.program_is_many_threads:
            core.fenced = core.control.copy()
            self._machine.settle_threads(core, puts=False)
            return
        self._machine.complete_mte(core)
        if self._machine.model.fence_quiets:
            self._machine.complete_puts(core)

    def debug_barrier(self) -> None:
        """All threads of the program meet: their loads and stores come before its later notifies."""
        machine = self._machine
        if not machine.model.program_is_many_threads:
            return
        machine.meet(machine.begin())

    def quiet(self) -> None:
        """Wait until the core's puts have arrived; on a GPU each thread does so for itself."""
        core = self._machine.begin()
        if self._machine.model.program_is_many_threads:
            self._machine.settle_threads(core, puts=True)
        else:
            self._machine.complete_puts(core)


def _use(pointer: Pointer) -> None:
    for token in pointer.tokens:
        token.use()


def _check_word(pointer: Any, what: str, names: tuple[str, ...]) -> dtypes.DType:
    if type(pointer) is not Pointer or pointer.shape:
        raise UnsupportedError(f"{what} takes a scalar pointer")
    if pointer.element.name not in names:
        raise UnsupportedError(f"{what} on a word of {pointer.element}: it takes {', '.join(names)}")
    return pointer.element
