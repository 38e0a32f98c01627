"""Times of what all ranks do together, as the engine takes them, and of several ways in turns."""

import random
import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.distributed as dist

from a2agen.engines.cuda.timing import BUDGET_US, REPEATS, Times, calls_of, eager, graphed, together

__all__ = ["BUDGET_US", "REPEATS", "Times", "batches_in_turns", "calls_of", "eager", "graphed", "in_turns", "together"]

TURNS = 50


def in_turns(calls: dict[str, Callable[[], Any]], estimate_us: float) -> dict[str, Times]:
    """Graphs of several calls each, replayed in turns, so that what else goes on meets them all."""
    return batches_in_turns({name: partial(_calls, call) for name, call in calls.items()}, estimate_us, TURNS)


def batches_in_turns(batches: dict[str, Callable[[int], Any]], estimate_us: float, turns: int) -> dict[str, Times]:
    """The same for what makes as many calls as it is told, in so many turns."""
    n = calls_of(estimate_us)
    graphs = {}
    for name, batch in batches.items():
        batch(1)
        together()
        graphs[name] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[name], capture_error_mode="thread_local"):
            batch(n)
        together()
        graphs[name].replay()
    spans: dict[str, list[float]] = {name: [] for name in batches}
    together()
    for turn in range(turns):
        # Each time in another order, the same on all ranks: what a way leaves behind it can slow the next one.
        for name in random.Random(turn).sample(sorted(graphs), len(graphs)):
            spans[name].append(_span(graphs[name].replay, n))
    together()
    return {name: _slower(found) for name, found in spans.items()}


def _calls(call: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        call()


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
