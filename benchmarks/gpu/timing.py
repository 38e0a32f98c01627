"""Times of what all ranks do together, as the engine takes them, and of several ways in turns."""

import statistics
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from a2agen.engines.cuda.timing import BUDGET_US, REPEATS, Times, calls_of, eager, graphed, together

__all__ = ["BUDGET_US", "REPEATS", "Times", "calls_of", "eager", "graphed", "in_turns", "together"]

TURNS = 25


def in_turns(calls: dict[str, Callable[[], Any]], estimate_us: float) -> dict[str, Times]:
    """Graphs of several calls each, replayed in turns, so that what else goes on meets them all."""
    n = calls_of(estimate_us)
    graphs = {}
    for name, call in calls.items():
        call()
        together()
        graphs[name] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[name], capture_error_mode="thread_local"):
            for _ in range(n):
                call()
        together()
        graphs[name].replay()
    spans: dict[str, list[float]] = {name: [] for name in calls}
    together()
    for _ in range(TURNS):
        for name, graph in graphs.items():
            spans[name].append(_span(graph.replay, n))
    together()
    return {name: _slower(found) for name, found in spans.items()}


def _span(work: Callable[[], Any], calls: int) -> float:
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first.record()
    work()
    last.record()
    torch.cuda.synchronize()
    dist.barrier()
    return float(first.elapsed_time(last)) * 1e3 / calls


def _slower(spans: list[float]) -> Times:
    """Of each repeat the slower rank's time."""
    slower = torch.tensor(spans, device="cuda")
    dist.all_reduce(slower, op=dist.ReduceOp.MAX)
    values = slower.tolist()
    return Times(statistics.median(values), min(values), max(values))
