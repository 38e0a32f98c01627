"""What surrounds the copies of a copy engine, in several ways: which handshake costs what.

Each way is a call that ranks make together. Words are 0 or 1 where streams wait for them (`memops`), else they carry
how often a kernel has run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import triton
import triton.language as tl

from a2agen.runtime import connect, driver
from a2agen.runtime.copies import _planes
from a2agen.runtime.standin import peers
from benchmarks.gpu import exchange as one
from benchmarks.gpu import timing
from benchmarks.gpu.handwritten import _at, _tell

WORD = 16
STRIDE = WORD * 8


@triton.jit
def _poll(ptr, value):  # type: ignore[no-untyped-def]
    """Until a word has at least a value: without an entry another rank may be a round ahead."""
    tl.inline_asm_elementwise(
        """
        {
            .reg .pred %less;
            .reg .b64 %found;
        again:
            ld.acquire.sys.global.b64 %found, [$1];
            setp.lt.s64 %less, %found, $2;
            @%less bra again;
            mov.b32 $0, 0;
        }
        """,
        "=r,l,l",
        [ptr.to(tl.int64), value],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit(do_not_specialize=["rank"])
def enter(entered, told, epochs, peers, rank, W: tl.constexpr, WAITS: tl.constexpr):  # type: ignore[no-untyped-def]
    """Tell the others the round, wait for theirs, and leave it in a word that a copy engine can send on."""
    epoch = tl.load(epochs) + 1
    tl.store(told, epoch)
    if WAITS:
        for i in range(W - 1):
            _tell(_at(entered + rank * 16, (rank + i + 1) % W, peers), epoch, "st.release.sys.global.b64")
        for i in range(W - 1):
            _poll(entered + (rank + i + 1) % W * 16, epoch)
    tl.store(epochs, epoch)


@triton.jit(do_not_specialize=["rank"])
def leave(ready, epochs, peers, rank, W: tl.constexpr, TELLS: tl.constexpr):  # type: ignore[no-untyped-def]
    epoch = tl.load(epochs) + 1
    if TELLS:
        for i in range(W - 1):
            _tell(_at(ready + rank * 16, (rank + i + 1) % W, peers), epoch, "st.release.sys.global.b64")
    for i in range(W - 1):
        _poll(ready + (rank + i + 1) % W * 16, epoch)
    tl.store(epochs, epoch)


@triton.jit
def rows(A, C, first, last, RUN, A_PITCH, C_PITCH, TILE: tl.constexpr):  # type: ignore[no-untyped-def]
    """Rows of the multiprocessors' share, one task for each tile of a row."""
    tiles = tl.cdiv(RUN, TILE)
    along = tl.arange(0, TILE)
    for task in range(tl.program_id(0), (last - first) * tiles, tl.num_programs(0)):
        row, place = tl.cast(first + task // tiles, tl.int64), task % tiles * TILE + along
        tl.store(C + row * C_PITCH + place, tl.load(A + row * A_PITCH + place, mask=place < RUN), mask=place < RUN)


@triton.jit
def rows_around(A, C, word, told, first, last, S, RUN, A_PITCH, C_PITCH, TILE: tl.constexpr):  # type: ignore[no-untyped-def]
    """The first rows at once, and those from the last ones on when the copy engine says that it is about to end."""
    rows(A, C, 0, first, RUN, A_PITCH, C_PITCH, TILE)
    _poll(word, tl.load(told))
    rows(A, C, last, S, RUN, A_PITCH, C_PITCH, TILE)


class Copying:
    """The memory and the streams of all ways, at the shape of a `combine`."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.ranks = ranks = connect(dist.group.WORLD)
        W, self.rank = ranks.size, ranks.rank
        self.W = W
        self.C = ranks.symmetric(W * problem.S * problem.run, one.DTYPE)
        self.words = ranks.symmetric(4 * W * WORD, torch.int64)
        self.epochs = ranks.local(4 * WORD, torch.int64)
        self.told = ranks.local(WORD, torch.int64)
        for words in (self.words, self.epochs, self.told):
            words.zero_()
        self.table = peers.table_of([self.C])
        self.source = problem.A.view(W, problem.S, problem.run)
        self.rows = [ranks.peer(self.C, to).view(problem.S, W, problem.run)[:, self.rank] for to in range(W)]
        self.others = [(self.rank + 1 + i) % W for i in range(W - 1)]
        self.planes = {to: _planes(self.rows[to], self.source[to]) for to in range(W)}
        self.streams = [torch.cuda.Stream() for _ in range(W)]
        self.events = [driver.event() for _ in range(W + 1)]
        base = [ranks.peer(self.words, to).data_ptr() for to in range(W)]

        def word(region: int, at: int, of: int) -> int:
            return base[at] + (region * W + of) * STRIDE

        me = self.rank
        enter_ = [driver.write(word(0, to, me), 1) for to in self.others]
        heard = [driver.wait(word(0, me, to), 1) for to in self.others]
        cleared = [driver.write(word(0, me, to), 0) for to in self.others]
        self.entering = driver.WordOps(*enter_, *heard, *cleared)
        self.announce = {to: driver.WordOps(driver.write(word(1, to, me), 1)) for to in self.others}
        self.arrived = driver.WordOps(
            *(driver.wait(word(1, me, to), 1) for to in self.others),
            *(driver.write(word(1, me, to), 0) for to in self.others),
        )
        # The words of kernels, apart from those of streams.
        self.entered, self.ready = self.words[2 * W * WORD :], self.words[3 * W * WORD :]
        told = self.told.data_ptr()
        self.word_copies = {to: driver.plane(word(3, to, me), told, 8, 1, (8, 8)) for to in self.others}
        self.here = ranks.local(WORD, torch.int64)
        self.here.zero_()
        self.word_here = driver.plane(self.here.data_ptr(), told, 8, 1, (8, 8))
        ranks.synchronize()
        ranks.barrier()

    def current(self) -> int:
        return torch.cuda.current_stream().cuda_stream

    def copy(self, to: int, stream: int) -> None:
        for what in self.planes[to]:
            driver.copy(what, stream)

    def fork(self, count: int) -> list[int]:
        driver.record(self.events[-1], self.current())
        streams = [s.cuda_stream for s in self.streams[:count]]
        for stream in streams:
            driver.follow(stream, self.events[-1])
        return streams

    def join(self, streams: list[int]) -> None:
        current = self.current()
        for stream, event in zip(streams, self.events, strict=False):
            driver.record(event, stream)
            driver.follow(current, event)

    def enter(self, waits: bool = True) -> None:
        enter[(1,)](
            *(self.entered, self.told, self.epochs, self.table, self.rank), W=self.W, WAITS=waits, num_warps=1
        )  # fmt: skip

    def leave(self, tells: bool) -> None:
        leave[(1,)](self.ready, self.epochs[WORD:], self.table, self.rank, W=self.W, TELLS=tells, num_warps=1)

    # -- the ways

    def copies(self, forked: bool, own: bool = True) -> None:
        """No handshake: not safe, only measured."""
        count = (self.W - 1 if forked else 0) + own
        streams = self.fork(count) if count else []
        if own:
            self.copy(self.rank, streams[0])
        for i, to in enumerate(self.others):
            self.copy(to, streams[i + own] if forked else self.current())
        self.join(streams)

    def memops(self, forked: bool = False, own: bool = True) -> None:
        """Streams write the words and wait for them; no kernel runs."""
        streams = self.fork(1) if own else []
        if own:
            self.copy(self.rank, streams[0])
        self.entering.on(self.current())
        there = self.fork(self.W) if forked else []
        for i, to in enumerate(self.others):
            stream = there[i + 1] if forked else self.current()
            self.copy(to, stream)
            self.announce[to].on(stream)
        self.join(there or streams)
        self.arrived.on(self.current())

    def entered_by_kernel(self) -> None:
        """A kernel enters; streams announce and wait."""
        streams = self.fork(1)
        self.copy(self.rank, streams[0])
        self.enter()
        for to in self.others:
            self.copy(to, self.current())
            self.announce[to].on(self.current())
        self.join(streams)
        self.arrived.on(self.current())

    def left_by_kernel(self) -> None:
        """Streams enter; a kernel announces and waits."""
        streams = self.fork(1)
        self.copy(self.rank, streams[0])
        self.entering.on(self.current())
        for to in self.others:
            self.copy(to, self.current())
        self.join(streams)
        self.leave(tells=True)

    def kernels(self, forked: bool) -> None:
        """A kernel enters, another announces and waits."""
        streams = [] if forked else self.fork(1)
        if not forked:
            self.copy(self.rank, streams[0])
        self.enter()
        if forked:
            streams = self.fork(self.W)
            self.copy(self.rank, streams[0])
        for i, to in enumerate(self.others):
            self.copy(to, streams[i + 1] if forked else self.current())
        self.join(streams)
        self.leave(tells=True)

    def assisted(self, part: int, cores: int = 132) -> None:
        """As by kernels, but the multiprocessors store the first of `part` parts of each slab to another rank while the
        copy engine starts with the rest. A rank that is alone assists with its own slab."""
        cut, run = self.problem.S // part, self.problem.run
        helped = self.others or [self.rank]
        self.enter()
        streams = self.fork(self.W)
        for to, stream in zip([*self.others, self.rank], streams, strict=True):
            for what in self.rest(to, cut) if to in helped else self.planes[to]:
                driver.copy(what, stream)
        for to in helped:
            rows[(cores,)](self.source[to], self.rows[to], 0, cut, run, run, self.W * run, TILE=4096)
        self.join(streams)
        self.leave(tells=True)

    def around(self, first: int, tail: int, ahead: int) -> None:
        """The multiprocessors store the first rows to the next rank while the copy engine starts, and the tail while it
        ends: it says so by a word that it copies when it has `ahead` rows to go."""
        (to,), S, run = self.others, self.problem.S, self.problem.run
        last = S - tail
        self.enter()
        one, own = self.fork(2)
        for what in self.between(to, first, last - ahead):
            driver.copy(what, one)
        driver.copy(self.word_here, one)
        for what in self.between(to, last - ahead, last) if ahead else ():
            driver.copy(what, one)
        self.copy(self.rank, own)
        rows_around[(132,)](
            *(self.source[to], self.rows[to], self.here, self.told, first, last, S, run, run, self.W * run), TILE=4096
        )  # fmt: skip
        self.join([one, own])
        self.leave(tells=True)

    def rest(self, to: int, cut: int) -> Any:
        """The copies of a slab's rows from `cut` on."""
        return self.between(to, cut, self.problem.S)

    def between(self, to: int, first: int, end: int) -> Any:
        return _planes(self.rows[to][first:end], self.source[to][first:end])

    def word(self, enters: bool = True, leaves: bool = True) -> None:
        """The copy engine sends the word behind the rows; a kernel waits beside the copies."""
        self.enter(enters)
        streams = self.fork(self.W)
        for i, to in enumerate(self.others):
            self.copy(to, streams[i])
            driver.copy(self.word_copies[to], streams[i])
        self.copy(self.rank, streams[-1])
        if leaves:
            self.leave(tells=False)
        self.join(streams)

    def close(self) -> None:
        timing.together()
        self.ranks.free(self.C)
        self.ranks.free(self.words)


def ways(which: str, at: Copying) -> dict[str, Callable[[], None]]:
    if which == "kernels":
        return {
            "copies forked": lambda: at.copies(True),
            "copies": lambda: at.copies(False),
            "copies to others": lambda: at.copies(False, own=False),
            "kernels forked": lambda: at.kernels(True),
            "kernels": lambda: at.kernels(False),
            "word": at.word,
            "word, no enter": lambda: at.word(enters=False),
            "word, no leave": lambda: at.word(leaves=False),
        }
    if which == "assist":
        parts = (256, 128, 64, 48, 32, 24, 16, 10)
        return {
            "copies forked": lambda: at.copies(True),
            "kernels forked": lambda: at.kernels(True),
            **{f"assisted 1/{part}": lambda part=part: at.assisted(part) for part in parts},
            **(
                {
                    f"around {first} {tail} {ahead}": lambda f=first, t=tail, a=ahead: at.around(f, t, a)
                    for first in (192, 320)
                    for tail in (256, 768)
                    for ahead in (0, 256)
                }
                if at.W == 2 and at.problem.S >= 4096
                else {}
            ),
            **{f"assisted 1/{part} x 32": lambda part=part: at.assisted(part, 32) for part in (64, 32)},
        }
    return {
        "memops": at.memops,
        "memops forked": lambda: at.memops(forked=True),
        "memops to others": lambda: at.memops(own=False),
        "kernel enters": at.entered_by_kernel,
        "kernel leaves": at.left_by_kernel,
    }


def measure(which: str, problem: Any) -> dict[str, Any]:
    """All ways of a kind, right and timed; those without a handshake are only right because ranks meet before each."""
    at = Copying(problem)
    found: dict[str, Any] = {"bytes": problem.shape.nbytes}
    for name, call in ways(which, at).items():
        found[name] = one.variant(problem, call, at.C)
        if "to others" in name:
            # The own rows are left out.
            del found[name]["verified"]
    at.close()
    return found


def shares(problem: Any) -> dict[str, Any]:
    """Some rows by the multiprocessors and the rest by the copy engine at once: is the link faster for both?"""
    at = Copying(problem)
    found: dict[str, Any] = {"bytes": problem.shape.nbytes}
    S, W, run = problem.S, at.W, problem.run
    (to,) = at.others[:1]

    def both(share: float, cores: int) -> None:
        cut = int(S * share)
        streams = at.fork(1)
        if cut < S:
            for what in cut_planes[share]:
                driver.copy(what, streams[0])
        if cut:
            rows[(cores,)](at.source[to], at.rows[to], 0, cut, run, run, W * run, TILE=4096)
        at.join(streams)

    cut_planes = {
        s: _planes(at.rows[to][int(S * s) :], at.source[to][int(S * s) :]) for s in (0.0, 0.1, 0.25, 0.5, 1.0)
    }
    for share in cut_planes:
        for cores in (132, 264):
            found[f"{share} x {cores}"] = {
                "graph": timing.graphed(lambda s=share, c=cores: both(s, c), problem.estimate / 2).record()
            }
    at.close()
    return found
