"""Happens-before over the accesses of one interleaving, exact for what it executed.

Threads are numbered: cores, then streams, then the load/store engines of the cores, then their put engines. An event
is an access: (thread, epoch, site). It is ordered before an access whose clock has reached its epoch, whose pointer
carries a token that has, or that the same thread makes.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from a2agen.engines.cpu.findings import Collector
from a2agen.engines.cpu.memory import Allocation, Region, Span
from a2agen.engines.cpu.sites import Sites
from a2agen.engines.cpu.words import Word

Clock = NDArray[np.int32]


class Access(NamedTuple):
    """Who accesses: the thread, its present epoch, the clocks that it comes after, and the place in the source."""

    thread: int
    epoch: int
    clock: Clock
    tokens: tuple[Clock, ...]
    site: int


class Order:
    """The events of an interleaving, and what the shadows' numbers mean."""

    def __init__(self, ranks: int, cores: int, findings: Collector, sites: Sites) -> None:
        self.ranks = ranks
        self.cores = cores
        total = ranks * cores
        self.first_stream = total
        self.first_mte = total + ranks
        self.first_put = 2 * total + ranks
        self.threads = 3 * total + ranks
        self._events: list[tuple[int, int, int]] = [(0, 0, 0)]
        self._sets: list[tuple[int, ...]] = [()]
        self._set_numbers: dict[tuple[int, ...], int] = {}
        self._findings = findings
        self._sites = sites

    def clock(self) -> Clock:
        return np.zeros(self.threads, np.int32)

    def event(self, thread: int, epoch: int, site: int) -> int:
        self._events.append((thread, epoch, site))
        return len(self._events) - 1

    # -- accesses to memory

    def read(self, span: Span, rank: int, region: Region, start: int, access: Access) -> None:
        """Check and remember a read of a region at `start` bytes into the allocation."""
        if span.allocation.words[rank]:
            words = self._settle(span.allocation, rank, start + region.low, start + region.high)
            self._read(span, rank, region, start, access)
            self._resume(span.allocation, rank, words, written=False)
        else:
            self._read(span, rank, region, start, access)

    def write(self, span: Span, rank: int, region: Region, start: int, access: Access) -> None:
        """Check and remember a write of a region."""
        if span.allocation.words[rank]:
            words = self._settle(span.allocation, rank, start + region.low, start + region.high)
            self._write(span, rank, region, start, access)
            self._resume(span.allocation, rank, words, written=True)
        else:
            self._write(span, rank, region, start, access)

    def _read(self, span: Span, rank: int, region: Region, start: int, access: Access) -> None:
        shadow = span.allocation.shadows[rank]
        assert shadow is not None
        start += region.low
        grain = shadow.fit(start, region.grain)
        shape, strides = region.view(grain)
        offset = start // grain * 4
        writers: Clock = np.ndarray(shape, np.int32, shadow.writers, offset, strides)
        self._check_writers(writers, span, rank, region, start, grain, access, reading=True)
        readers: Clock = np.ndarray(shape, np.int32, shadow.readers, offset, strides)
        self._add_reader(readers, access)

    def _write(self, span: Span, rank: int, region: Region, start: int, access: Access) -> None:
        shadow = span.allocation.shadows[rank]
        assert shadow is not None
        start += region.low
        grain = shadow.fit(start, region.grain)
        shape, strides = region.view(grain)
        offset = start // grain * 4
        writers: Clock = np.ndarray(shape, np.int32, shadow.writers, offset, strides)
        self._check_writers(writers, span, rank, region, start, grain, access, reading=False)
        readers: Clock = np.ndarray(shape, np.int32, shadow.readers, offset, strides)
        self._check_readers(readers, span, rank, region, start, grain, access)
        writers[...] = self.event(access.thread, access.epoch, access.site)

    def _check_writers(
        self, view: Clock, span: Span, rank: int, region: Region, start: int, grain: int, access: Access, reading: bool
    ) -> None:
        for number in distinct(view):
            if number == 0:
                if reading:
                    self._uninitialised(view, span, rank, region, start, grain, access)
            elif not self.ordered(number, access):
                place = _place(view, number, region, grain, start)
                self.race(number, "write", "read" if reading else "write", span, rank, place, access)

    def _check_readers(
        self, view: Clock, span: Span, rank: int, region: Region, start: int, grain: int, access: Access
    ) -> None:
        found = distinct(view)
        if found == (0,):
            return
        for number in found:
            for event in self._members(number):
                if not self.ordered(event, access):
                    self.race(event, "read", "write", span, rank, _place(view, number, region, grain, start), access)
        view[...] = 0

    def _add_reader(self, view: Clock, access: Access) -> None:
        event = self.event(access.thread, access.epoch, access.site)
        found = distinct(view)
        if len(found) == 1:
            view[...] = self._joined(found[0], event, access)
            return
        for number in found:
            joined = self._joined(number, event, access)
            view[view == number] = joined

    def _members(self, number: int) -> tuple[int, ...]:
        if number >= 0:
            return (number,) if number else ()
        return self._sets[-number]

    def _joined(self, number: int, event: int, access: Access) -> int:
        """The readers `number` and one more; those that the new one comes after stand no longer for themselves."""
        kept = [e for e in self._members(number) if not self.ordered(e, access)]
        if not kept:
            return event
        members = (*kept, event)
        found = self._set_numbers.get(members)
        if found is None:
            found = self._set_numbers[members] = -len(self._sets)
            self._sets.append(members)
        return found

    def ordered(self, event: int, access: Access) -> bool:
        """Whether an event comes before an access for certain."""
        thread, epoch, _ = self._events[event]
        if thread == access.thread or epoch <= access.clock[thread]:
            return True
        return any(epoch <= token[thread] for token in access.tokens)

    # -- signal words

    def word(self, allocation: Allocation, rank: int, byte: int) -> Word:
        """The word at a byte; a new one takes over what the shadow knows of it."""
        words = allocation.words[rank]
        found = words.get(byte)
        if found is None:
            shadow = allocation.shadows[rank]
            assert shadow is not None
            place = byte // shadow.fit(byte, 8)
            readers = self._members(int(shadow.readers[place]))
            found = words[byte] = Word(byte, int(shadow.writers[place]), list(readers))
        return found

    def _settle(self, allocation: Allocation, rank: int, low: int, high: int) -> list[Word]:
        """Hand the words in [low, high) back to the shadow, before an ordinary access; gives them."""
        words = allocation.words[rank]
        shadow = allocation.shadows[rank]
        assert shadow is not None
        found = [word for byte, word in words.items() if low <= byte < high]
        for word in found:
            grain = shadow.fit(word.index, 8)
            place = slice(word.index // grain, (word.index + 8) // grain)
            shadow.writers[place] = word.writer
            shadow.readers[place] = self._set_of(word.readers)
            if not word.waiters:
                del words[word.index]
        return found

    def _resume(self, allocation: Allocation, rank: int, words: list[Word], written: bool) -> None:
        """After an ordinary access: words that cores wait for take over what the shadow knows now."""
        shadow = allocation.shadows[rank]
        assert shadow is not None
        for word in words:
            if word.waiters:
                place = word.index // shadow.grain
                word.writer = int(shadow.writers[place])
                word.readers = list(self._members(int(shadow.readers[place])))
                if written:
                    word.clock, word.observed, word.adds = None, True, False

    def _set_of(self, readers: list[int]) -> int:
        if len(readers) < 2:
            return readers[0] if readers else 0
        members = tuple(readers)
        found = self._set_numbers.get(members)
        if found is None:
            found = self._set_numbers[members] = -len(self._sets)
            self._sets.append(members)
        return found

    def is_core(self, event: int) -> bool:
        """Whether an event is a notify: made by a core itself and no engine of its."""
        return self._events[event][0] < self.first_stream

    # -- reports

    def who(self, thread: int) -> tuple[int, int | None, str]:
        """Rank, core and name of a thread."""
        if self.first_stream <= thread < self.first_mte:
            rank = thread - self.first_stream
            return rank, None, f"rank {rank}'s stream"
        base = 0 if thread < self.first_stream else self.first_mte if thread < self.first_put else self.first_put
        rank, core = divmod(thread - base, self.cores)
        return rank, core, f"rank {rank} core {core}"

    def describe(self, event: int) -> str:
        """Who did an event, and where."""
        thread, _, site = self._events[event]
        return f"{self.who(thread)[2]} ({self._sites.words(site)})"

    def _what(self, thread: int, kind: str) -> str:
        if thread >= self.first_put:
            return "put's " + kind
        return kind if thread >= self.first_stream else ("notify" if kind == "write" else "wait")

    def race(self, event: int, old: str, new: str, span: Span, rank: int, byte: int, access: Access) -> None:
        """Report that nothing orders `event` before `access`."""
        thread, _, site = self._events[event]
        line, other = self._sites.line(access.site), self._sites.line(site)
        key = (self._sites.words(site), old, new)
        if self._findings.known("race", line, *key):
            return
        here, core, name = self.who(access.thread)
        text = (
            f"{self._what(access.thread, new)} of {span.place(byte, rank)} "
            f"by {name} ({self._sites.words(access.site)}) "
            f"is not ordered after the {self._what(thread, old)} by {self.describe(event)}"
        )
        hint = self._hint(thread, access.thread)
        self._findings.add("race", text + hint, here, core, line if line is not None else other, *key)

    def _hint(self, old: int, new: int) -> str:
        """What is missing between two accesses of one core."""
        if old < self.first_mte or self.who(old)[2] != self.who(new)[2] or self.who(new)[1] is None:
            return ""
        return ": no quiet since" if old >= self.first_put else ": no fence since"

    def _uninitialised(
        self, view: Clock, span: Span, rank: int, region: Region, start: int, grain: int, access: Access
    ) -> None:
        place = span.place(_place(view, 0, region, grain, start), rank)
        here, core, name = self.who(access.thread)
        what = self._what(access.thread, "read")
        text = f"{what} of {place} by {name} ({self._sites.words(access.site)}): nothing wrote there"
        self._findings.add("uninitialised", text, here, core, self._sites.line(access.site), span.name)


def distinct(view: Clock) -> tuple[int, ...]:
    """The different entries of a view; nearly always there is one."""
    raw = view.tobytes()
    first = raw[:4]
    if raw == first * (len(raw) // 4):
        return (int.from_bytes(first, sys.byteorder, signed=True),)
    found: list[int] = np.unique(view).tolist()
    return tuple(found)


def _place(view: Clock, number: int, region: Region, grain: int, start: int) -> int:
    """The first byte of a region whose entry is `number`."""
    index = np.argwhere(view == number)[0]
    _, strides = region.view(grain)
    return start + sum(int(i) * (s // 4 * grain) for i, s in zip(index, strides, strict=True))


def join(into: Clock, other: Any) -> None:
    """Raise a clock to cover another."""
    np.maximum(into, other, out=into)
