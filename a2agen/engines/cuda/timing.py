"""Times of what all ranks do together: per call, by events, the slower rank's."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

REPEATS = 13
BUDGET_US = 12_000.0
"""About how long the calls between two events take; the launch of the first then counts little."""


@dataclass(frozen=True, slots=True)
class Times:
    """Microseconds of a call: median, best and worst of the repeats."""

    median: float
    best: float
    worst: float

    def record(self) -> list[float]:
        return [round(x, 3) for x in (self.median, self.best, self.worst)]


def together() -> None:
    """All ranks have come here, and their devices are idle."""
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()


def calls_of(estimate_us: float, most: int = 20) -> int:
    return max(2, min(most, int(BUDGET_US / max(estimate_us, 1.0))))


def eager(call: Callable[[], Any], estimate_us: float, repeats: int = REPEATS) -> Times:
    """Calls back to back on the current stream."""
    n = calls_of(estimate_us)
    for _ in range(3):
        call()
    return _repeat(lambda: [call() for _ in range(n)], n, repeats)


def graphed(call: Callable[[], Any], estimate_us: float, repeats: int = REPEATS) -> Times:
    """The same as one CUDA graph of several calls."""
    n = calls_of(estimate_us)
    call()
    together()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        for _ in range(n):
            call()
    together()
    graph.replay()
    found = _repeat(graph.replay, n, repeats)
    together()
    del graph
    return found


def _repeat(work: Callable[[], Any], calls: int, repeats: int) -> Times:
    spans = []
    together()
    for _ in range(repeats):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        work()
        last.record()
        torch.cuda.synchronize()
        spans.append(first.elapsed_time(last) * 1e3 / calls)
        dist.barrier()
    slower = torch.tensor(spans, device="cuda")
    dist.all_reduce(slower, op=dist.ReduceOp.MAX)
    values = slower.tolist()
    return Times(statistics.median(values), min(values), max(values))
