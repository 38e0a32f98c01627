"""Two ranks on one GPU: what the emitted kernel takes beside the same by hand, where there is no second GPU.

The ranks share a process, each with a stream, a heap and operators of its own. A graph has the kernels of both: a
branch for each rank, its kernels one behind the other, so that ranks drift as far as their words let them, as they do
on two GPUs. What goes to the other rank stays in the GPU's own memory. The times tell kernels apart; of a link they
say nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import torch

from a2agen.engines.cuda.loading import exchange_class
from a2agen.runtime.nvlink import ThreadRank, thread_ranks
from a2agen.runtime.standin import kernel
from benchmarks.gpu import timing
from benchmarks.gpu.checks import folder
from benchmarks.gpu.handwritten import FLAGS, Direct
from benchmarks.gpu.shapes import Shape

RANKS = 2
HEAP_BYTES = 256 << 20
LOADING_SECONDS = 60.0
TURNS = 100
ESTIMATE_US = 100.0
"""More than a call takes at any size that is measured: as many calls to a graph as there may be."""
DTYPE = torch.bfloat16
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Way:
    """One way to do it: each rank's call, and the tensor that its result lies in."""

    calls: Sequence[Callable[[], Any]]
    results: Sequence[torch.Tensor]


class Pair:
    """The ranks, and the inputs and expected results of `combine` at a shape."""

    def __init__(self, shape: Shape, device: torch.device) -> None:
        self.device, self.extents = device, shape.extents(RANKS)
        self.rows, self.run = self.extents["S"], self.extents["H"] * self.extents["D"]
        self.ranks = thread_ranks(RANKS, [device], HEAP_BYTES)
        self.streams = [torch.cuda.Stream(device) for _ in self.ranks]
        torch.manual_seed(1)
        size = (RANKS, RANKS, self.rows, self.run)
        bits = torch.randint(-(2**15), 2**15, size, dtype=torch.int16, device=device)
        self.sources = [bits[r].reshape(-1, self.extents["H"], self.extents["D"]).view(DTYPE) for r in range(RANKS)]
        self.expected = [bits[:, r].transpose(0, 1).contiguous().flatten() for r in range(RANKS)]

    def each(self, work: Callable[[int, ThreadRank], T]) -> list[T]:
        """What every rank makes, each in a thread and on its stream: building and closing an operator waits for all."""

        def one(rank: int) -> T:
            torch.cuda.set_device(self.device)
            try:
                with torch.cuda.stream(self.streams[rank]):
                    return work(rank, self.ranks[rank])
            except BaseException:
                self.ranks[rank].abandon()
                raise

        with ThreadPoolExecutor(RANKS) as pool:
            return list(pool.map(one, range(RANKS)))

    def launch(self, calls: Sequence[Callable[[], Any]], times: int) -> None:
        """So many calls of every rank on its stream, behind what is on the current one and before what comes there."""
        here = torch.cuda.current_stream(self.device)
        for stream in self.streams:
            stream.wait_stream(here)
        for _ in range(times):
            for stream, call in zip(self.streams, calls, strict=True):
                with torch.cuda.stream(stream):
                    call()
        for stream in self.streams:
            here.wait_stream(stream)

    def verified(self, results: Sequence[torch.Tensor]) -> bool:
        torch.cuda.synchronize(self.device)
        pairs = zip(results, self.expected, strict=True)
        return all(torch.equal(found.view(torch.int16).flatten(), wanted) for found, wanted in pairs)


def measure(shape: Shape, device: torch.device) -> dict[str, Any]:
    """The emitted kernel and those by hand, with the tile and the programs of the emitted one, timed in turns."""
    pair = Pair(shape, device)
    with _ways(pair) as (ways, op):
        for way in ways.values():
            for result in way.results:
                result.view(torch.int16).fill_(-1)
        torch.cuda.synchronize(device)
        verified = {}
        for name, way in ways.items():
            pair.launch(way.calls, 1)
            verified[name] = pair.verified(way.results)
        batches = {name: partial(pair.launch, way.calls) for name, way in ways.items()}
        times = timing.batches_in_turns(batches, ESTIMATE_US, TURNS)
        found: dict[str, Any] = {"bytes": shape.nbytes, "tile": list(op._tile), "cores": op._cores}
        for name, way in ways.items():
            right = verified[name] and pair.verified(way.results)
            found[name] = {"verified": right, "graph": times[name].record()}
    return found


@contextmanager
def _ways(pair: Pair) -> Iterator[tuple[dict[str, Way], Any]]:
    """All ways, loaded, and an operator of the emitted one: a kernel that waits for the other rank may hold up the
    loading of another, so none is launched before all are loaded."""
    kind = exchange_class(folder("combine", "direct"))
    dims = {name: pair.extents[name] for name in ("S", "H", "D")}
    ops = pair.each(lambda _, ranks: kind(ranks, **dims))
    shape, cores, tile = (pair.rows, pair.run), ops[0]._cores, ops[0]._tile
    hands = {
        name: pair.each(lambda _, ranks, flags=flags: Direct(ranks, shape, DTYPE, cores, tile, **flags))
        for name, flags in FLAGS.items()
    }
    try:
        ways = {"emitted": _emitted(pair, ops)}
        for name, directs in hands.items():
            for direct, source in zip(directs, pair.sources, strict=True):
                direct.load(source)
            calls = [partial(direct, source) for direct, source in zip(directs, pair.sources, strict=True)]
            ways[name] = Way(calls, [direct.result for direct in directs])
        yield ways, ops[0]
    finally:
        torch.cuda.synchronize(pair.device)
        for made in (*hands.values(), ops):
            pair.each(lambda rank, _, made=made: made[rank].close())


def _emitted(pair: Pair, ops: Sequence[Any]) -> Way:
    """The emitted kernel, after its first launch, before which both ranks come together."""
    meeting = threading.Barrier(RANKS)
    kernel.before_first_launch.append(lambda: meeting.wait(LOADING_SECONDS))
    try:
        results = pair.each(lambda rank, _: ops[rank](pair.sources[rank]))
    finally:
        kernel.before_first_launch.pop()
    torch.cuda.synchronize(pair.device)
    return Way([partial(op, source) for op, source in zip(ops, pair.sources, strict=True)], results)
