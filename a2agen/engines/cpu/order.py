"""Happens-before over the accesses of one interleaving, exact for what it executed.

Threads are numbered: cores, then streams, then the load/store engines of the cores, then their put engines, then the
side streams of the ranks, as many for each as there are ranks. An event
is an access: (thread, epoch, site, layout). It is ordered before an access whose clock has reached its epoch, whose
pointer carries a token that has, or that the same thread makes with the same layout; only the load/store engines of
cores that are many threads have layouts.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from a2agen.engines.cpu.findings import Collector
from a2agen.engines.cpu.layouts import Layout, is_number
from a2agen.engines.cpu.memory import Allocation, Region, Span, Token
from a2agen.engines.cpu.shadow import READERS_SHIFT, WRITER
from a2agen.engines.cpu.sites import Sites
from a2agen.engines.cpu.words import Word

Clock = NDArray[np.int32]
Entries = NDArray[np.int64]


class Thread:
    """Something that accesses memory in an order of its own: a core, a stream, or an engine of a core.

    `epoch` is the present one, `clock` what its accesses come after. `tokens`, `site` and `layout` are those of the
    access at hand: more waits that it comes after, its place in the source, and which of a program's threads has which
    element.
    """

    __slots__ = ("clock", "epoch", "layout", "number", "site", "tokens")

    def __init__(self, number: int, clock: Clock) -> None:
        self.number = number
        self.clock = clock
        self.epoch = 1
        self.tokens: tuple[Token, ...] = ()
        self.site = 0
        self.layout: Layout = None

    def at(self, site: int, tokens: tuple[Token, ...] = ()) -> Thread:
        """The thread, with what belongs to its next access."""
        self.site = site
        self.tokens = tokens
        return self


class Order:
    """The events of an interleaving, and what the shadows' numbers mean."""

    def __init__(self, ranks: int, cores: int, findings: Collector, sites: Sites, fence: str = "fence") -> None:
        self._fence = fence
        self.ranks = ranks
        self.cores = cores
        total = ranks * cores
        self.first_stream = total
        self.first_mte = total + ranks
        self.first_put = 2 * total + ranks
        self.first_side = 3 * total + ranks
        self.threads = self.first_side + ranks * ranks
        self._events: list[tuple[int, int, int, Layout]] = [(0, 0, 0, None)]
        # Those events that are notifies, as they came.
        self._notifies: list[int] = []
        self._sets: list[tuple[int, ...]] = [()]
        self._set_numbers: dict[tuple[int, ...], int] = {}
        self._findings = findings
        self._sites = sites
        # What each wait of a core saw last, by core and place.
        self.waits: dict[int, dict[int, Clock]] = {}
        # What a wait comes after that acquires nothing.
        self.nothing = self.clock()
        # What each wait saw without acquiring it, with the event of the wait, by core and place.
        self.unacquired: dict[int, dict[int, list[tuple[int, Clock]]]] = {}

    def clock(self) -> Clock:
        return np.zeros(self.threads, np.int32)

    def event(self, thread: Thread) -> int:
        """A number for the access at hand of a thread."""
        self._events.append((thread.number, thread.epoch, thread.site, thread.layout))
        return len(self._events) - 1

    def notify(self, thread: Thread) -> int:
        """A number for a notify by a core."""
        event = self.event(thread)
        self._notifies.append(event)
        return event

    # -- accesses to memory

    def read(self, span: Span, rank: int, region: Region, start: int, thread: Thread) -> None:
        """Check and remember a read of a region at `start` bytes into the allocation."""
        if span.allocation.words[rank]:
            words = self._settle(span.allocation, rank, start + region.low, start + region.high)
            self._read(span, rank, region, start, thread)
            self._resume(span.allocation, rank, words, written=False)
        else:
            self._read(span, rank, region, start, thread)

    def write(self, span: Span, rank: int, region: Region, start: int, thread: Thread) -> None:
        """Check and remember a write of a region."""
        if span.allocation.words[rank]:
            words = self._settle(span.allocation, rank, start + region.low, start + region.high)
            self._write(span, rank, region, start, thread)
            self._resume(span.allocation, rank, words, written=True)
        else:
            self._write(span, rank, region, start, thread)

    def _view(self, span: Span, rank: int, region: Region, start: int) -> tuple[Entries, int]:
        """The shadow's entries of a region, and the bytes that each stands for."""
        shadow = span.allocation.shadows[rank]
        assert shadow is not None
        start += region.low
        grain = shadow.grain
        if start % grain or region.grain % grain:
            grain = shadow.fit(start, region.grain)
        shape, strides = region.views.get(grain) or region.view(grain)
        return np.ndarray(shape, np.int64, shadow.entries, start // grain * 8, strides), grain

    def _read(self, span: Span, rank: int, region: Region, start: int, thread: Thread) -> None:
        view, grain = self._view(span, rank, region, start)
        events = self._events
        event = len(events)
        events.append((thread.number, thread.epoch, thread.site, thread.layout))
        found = distinct(view)
        for entry in found:
            writer = entry & WRITER
            if not self.ordered(writer, thread):
                place = _place(view, entry, region, grain, start)
                if writer:
                    self.race(writer, "write", "read", span, rank, place, thread)
                else:
                    self._uninitialised(span, rank, place, thread)
            readers = entry >> READERS_SHIFT
            new = writer + ((self._joined(readers, event, thread) if readers else event) << READERS_SHIFT)
            if len(found) == 1:
                view[...] = new
            else:
                view[view == entry] = new

    def _write(self, span: Span, rank: int, region: Region, start: int, thread: Thread) -> None:
        view, grain = self._view(span, rank, region, start)
        for entry in distinct(view):
            writer = entry & WRITER
            readers = entry >> READERS_SHIFT
            if writer and not self.ordered(writer, thread) and not self.seen(self._members(readers), thread):
                place = _place(view, entry, region, grain, start)
                self.race(writer, "write", "write", span, rank, place, thread)
            if readers:
                for reader in self._members(readers):
                    if not self.ordered(reader, thread):
                        place = _place(view, entry, region, grain, start)
                        self.race(reader, "read", "write", span, rank, place, thread)
        view[...] = self.event(thread)

    def _members(self, number: int) -> tuple[int, ...]:
        if number >= 0:
            return (number,) if number else ()
        return self._sets[-number]

    def _joined(self, number: int, event: int, thread: Thread) -> int:
        """The readers `number` and one more; those that the new one comes after stand no longer for themselves."""
        kept = [e for e in self._members(number) if not self.ordered(e, thread)]
        if not kept:
            return event
        members = (*kept, event)
        found = self._set_numbers.get(members)
        if found is None:
            found = self._set_numbers[members] = -len(self._sets)
            self._sets.append(members)
        return found

    def ordered(self, event: int, thread: Thread) -> bool:
        """Whether an event comes before the access at hand of a thread for certain; no event does not."""
        number, epoch, _, layout = self._events[event]
        if epoch <= thread.clock[number]:
            return bool(event)
        if number == thread.number and layout == thread.layout:
            return True
        return any(epoch <= token.clock[number] for token in thread.tokens)

    def seen(self, readers: Iterable[int], thread: Thread) -> bool:
        """Whether an access comes after one that has read what is there, and so after its writer's store to this place,
        though perhaps after nothing else that the writer has done."""
        return any(self.ordered(reader, thread) for reader in readers)

    # -- signal words

    def word(self, allocation: Allocation, rank: int, byte: int) -> Word:
        """The word at a byte; a new one takes over what the shadow knows of it."""
        words = allocation.words[rank]
        found = words.get(byte)
        if found is None:
            shadow = allocation.shadows[rank]
            assert shadow is not None
            grain = shadow.fit(byte, 8)
            entry = int(shadow.entries[byte // grain])
            found = words[byte] = Word(byte, entry & WRITER, list(self._members(entry >> READERS_SHIFT)))
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
            shadow.entries[place] = word.writer + (self._set_of(word.readers) << READERS_SHIFT)
            if not word.waiters:
                del words[word.index]
        return found

    def _resume(self, allocation: Allocation, rank: int, words: list[Word], written: bool) -> None:
        """After an ordinary access: words that cores wait for take over what the shadow knows now."""
        shadow = allocation.shadows[rank]
        assert shadow is not None
        for word in words:
            if word.waiters:
                entry = int(shadow.entries[word.index // shadow.grain])
                word.writer = entry & WRITER
                word.readers = list(self._members(entry >> READERS_SHIFT))
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
        if thread >= self.first_side:
            rank, number = divmod(thread - self.first_side, self.ranks)
            return rank, None, f"rank {rank}'s side stream {number}"
        base = 0 if thread < self.first_stream else self.first_mte if thread < self.first_put else self.first_put
        rank, core = divmod(thread - base, self.cores)
        return rank, core, f"rank {rank} core {core}"

    def maker(self, event: int) -> tuple[int, int | None, str]:
        """Rank, core and name of the thread that made an event."""
        return self.who(self._events[event][0])

    def describe(self, event: int) -> str:
        """Who did an event, and where."""
        thread, _, site, _ = self._events[event]
        return f"{self.who(thread)[2]} ({self._sites.words(site)})"

    def _what(self, thread: int, kind: str) -> str:
        if thread >= self.first_side:
            return "copy's " + kind
        if thread >= self.first_put:
            return "put's " + kind
        return kind if thread >= self.first_stream else ("notify" if kind == "write" else "wait")

    def race(self, event: int, old: str, new: str, span: Span, rank: int, byte: int, thread: Thread) -> None:
        """Report that nothing orders `event` before the access at hand."""
        earlier, _, site, layout = self._events[event]
        line, other = self._sites.line(thread.site), self._sites.line(site)
        key = (self._sites.words(site), old, new)
        if earlier == thread.number and old == "read" and is_number(layout) and is_number(thread.layout):
            self._stale_read(span.place(byte, rank), site, thread)
            return
        if self._findings.known("race", line, *key):
            return
        here, core, name = self.who(thread.number)
        text = (
            f"{self._what(thread.number, new)} of {span.place(byte, rank)} "
            f"by {name} ({self._sites.words(thread.site)}) "
            f"is not ordered after the {self._what(earlier, old)} by {self.describe(event)}"
        )
        hint = self._hint(event, old, thread)
        self._findings.add("race", text + hint, here, core, line if line is not None else other, *key)

    def _stale_read(self, place: str, there: int, thread: Thread) -> None:
        """Every thread loads a number and one stores it: a slow one may find what a fast one has stored."""
        here, core, name = self.who(thread.number)
        text = f"store of {place}, which this program reads at {self._sites.words(there)} "
        text += f"without tl.debug_barrier() since ({name}, {self._sites.words(thread.site)})"
        self._findings.add("stale-read", text, here, core, self._sites.line(thread.site))

    def _hint(self, event: int, old: str, thread: Thread) -> str:
        """What is missing between an event and the access at hand, where that is easily told."""
        earlier = self._events[event][0]
        if self.first_mte <= earlier < self.first_put and earlier == thread.number:
            return f": another thread of the program may have made that; put {self._fence} between the two"
        if self.first_mte <= earlier < self.first_side:
            base = self.first_put if earlier >= self.first_put else self.first_mte
            fence, what = ("quiet", "put") if base == self.first_put else (self._fence, old)
            owner = earlier - base
            if thread.number >= self.first_mte and self.who(thread.number)[2] == self.who(earlier)[2]:
                return f": no {fence} since"
            for number in self._notifies[bisect_right(self._notifies, event) :]:
                if self._events[number][0] == owner and self.ordered(number, thread):
                    where = self._sites.words(self._events[number][2])
                    return f": no {fence} stands between that {what} and the notify on {where}"
        return self._hint_of_wait(event, thread)

    def _hint_of_wait(self, event: int, thread: Thread) -> str:
        """Which wait has seen what comes after an event and yet does not order the access at hand after it."""
        earlier, epoch, _, _ = self._events[event]
        rank, pid, _ = self.who(thread.number)
        own = None if pid is None else rank * self.cores + pid
        if own is not None:
            for site, clock in self.waits.get(own, {}).items():
                if epoch <= clock[earlier]:
                    return f": the access does not consume the token of the wait on {self._sites.words(site)}"
        others = [core for core in range(rank * self.cores, (rank + 1) * self.cores) if core != own]
        for core in others if own is None else (own, *others):
            for site, seen in self.unacquired.get(core, {}).items():
                for wait, clock in seen:
                    # A wait of another core that the access does not come after could not order it either.
                    if epoch <= clock[earlier] and (core == own or self.ordered(wait, thread)):
                        where = self._sites.words(site)
                        return f": the wait on {where} does not acquire it, by semantic and scope of the two"
        return ""

    def _uninitialised(self, span: Span, rank: int, byte: int, thread: Thread) -> None:
        here, core, name = self.who(thread.number)
        what = self._what(thread.number, "read")
        text = f"{what} of {span.place(byte, rank)} by {name} ({self._sites.words(thread.site)}): nothing wrote there"
        self._findings.add("uninitialised", text, here, core, self._sites.line(thread.site), span.name)


def distinct(view: Entries) -> tuple[int, ...]:
    """The different entries of a view; nearly always there is one."""
    raw = view.tobytes()
    first = raw[:8]
    if raw == first * (len(raw) >> 3):
        return (int.from_bytes(first, sys.byteorder, signed=True),)
    # Not np.unique, whose first call imports modules in the midst of a run.
    return tuple(sorted(set(np.frombuffer(raw, np.int64).tolist())))


def _place(view: Entries, entry: int, region: Region, grain: int, start: int) -> int:
    """The first byte of a region at `start` that has this entry."""
    start += region.low
    index = np.argwhere(view == entry)[0]
    _, strides = region.view(grain)
    return start + sum(int(i) * (s // 8 * grain) for i, s in zip(index, strides, strict=True))


def join(into: Clock, other: Any) -> None:
    """Raise a clock to cover another."""
    np.maximum(into, other, out=into)
