"""One exchange at one shape: the baseline, the limit, and every variant of ours, verified and timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist

from a2agen.engines.cuda.loading import exchange_class
from a2agen.runtime import connect
from benchmarks.gpu import timing
from benchmarks.gpu.checks import folder
from benchmarks.gpu.shapes import Shape

DTYPE = torch.bfloat16


class Problem:
    """Inputs and the expected result of `combine` or `dispatch` at a shape."""

    def __init__(self, name: str, shape: Shape) -> None:
        self.name, self.shape = name, shape
        self.size, self.rank = dist.get_world_size(), dist.get_rank()
        self.extents = shape.extents(self.size)
        S, H, D = (self.extents[n] for n in ("S", "H", "D"))
        W = self.size
        self.S, self.run = S, H * D
        torch.manual_seed(self.rank + 1)
        bits = torch.randint(-(2**15), 2**15, (W * S * H * D,), dtype=torch.int16, device="cuda")
        self.A = bits.view(DTYPE).view((W * S, H, D) if name == "combine" else (S, W * H, D))
        self._send = torch.empty((W, S, H * D), dtype=DTYPE, device="cuda")
        self._received = torch.empty_like(self._send)
        self.result = torch.empty((S, W, H * D) if name == "combine" else (W, S, H * D), dtype=DTYPE, device="cuda")
        self.expected = self.baseline().clone().view(torch.int16).flatten()
        self.estimate = timing.eager(self.baseline, 1000.0).median

    def baseline(self) -> torch.Tensor:
        """What a user would pick: `all_to_all_single` and a permute, on the side where rows lie together."""
        W, S, run = self.size, self.S, self.run
        if self.name == "combine":
            dist.all_to_all_single(self._received, self.A.view(W, S, run))
            self.result.copy_(self._received.permute(1, 0, 2))
        else:
            self._send.copy_(self.A.view(S, W, run).permute(1, 0, 2))
            dist.all_to_all_single(self.result, self._send)
        return self.result

    def alone(self) -> None:
        """The collective without the permute."""
        dist.all_to_all_single(self._received, self.A.view(self.size, self.S, self.run))

    def verified(self, found: torch.Tensor) -> bool:
        same = torch.tensor(torch.equal(found.view(torch.int16).flatten(), self.expected), device="cuda")
        count = same.to(torch.int32)
        dist.all_reduce(count, op=dist.ReduceOp.MIN)
        return bool(count.item())

    @property
    def remote_bytes(self) -> int:
        return self.shape.nbytes * (self.size - 1) // self.size


@contextmanager
def operator(problem: Problem, schedule: str, **overrides: Any) -> Iterator[Any]:
    """An operator of a schedule; `overrides` are attributes of its class, such as cores and tile."""
    kind = exchange_class(folder(problem.name, schedule))
    kind = type("Exchange", (kind,), overrides) if overrides else kind
    op = kind(dist.group.WORLD, **{n: problem.extents[n] for n in ("S", "H", "D")})
    try:
        yield op
    finally:
        timing.together()
        op.close()


def variant(problem: Problem, call: Callable[[], Any], result: torch.Tensor, how: str = "both") -> dict[str, Any]:
    """One way to do it: verified on poisoned memory, timed eagerly and as a graph, verified again."""
    result.view(torch.int16).fill_(-1)
    timing.together()
    call()
    timing.together()
    found: dict[str, Any] = {"verified": problem.verified(result)}
    if how in ("both", "eager"):
        found["eager"] = timing.eager(call, problem.estimate).record()
    if how in ("both", "graph"):
        found["graph"] = timing.graphed(call, problem.estimate).record()
    timing.together()
    found["verified"] = found["verified"] and problem.verified(result)
    return found


def in_turns(problem: Problem, calls: dict[str, tuple[Callable[[], Any], torch.Tensor]]) -> dict[str, Any]:
    """Several ways, verified and timed as graphs in turns, so that what else goes on meets them all."""
    for call, result in calls.values():
        result.view(torch.int16).fill_(-1)
        timing.together()
        call()
    timing.together()
    verified = {name: problem.verified(result) for name, (_, result) in calls.items()}
    times = timing.in_turns({name: call for name, (call, _) in calls.items()}, problem.estimate)
    return {name: {"verified": verified[name], "graph": times[name].record()} for name in calls}


def limit(problem: Problem) -> dict[str, Any]:
    """The copy engine alone: the same strided copies on forked streams, without any synchronisation of ranks."""
    ranks = connect(dist.group.WORLD)
    W = problem.size
    C = ranks.symmetric(W * problem.S * problem.run, DTYPE)
    shape = (problem.S, W, problem.run) if problem.name == "combine" else (W, problem.S, problem.run)
    rows = [ranks.peer(C, to).view(shape).select(1 if problem.name == "combine" else 0, ranks.rank) for to in range(W)]
    source = (
        problem.A.view(W, problem.S, problem.run)
        if problem.name == "combine"
        else problem.A.view(problem.S, W, problem.run).transpose(0, 1)
    )
    side = ranks.side_streams(W)

    def copies() -> None:
        side.fork()
        for i in range(W):
            to = (ranks.rank + i) % W
            side.copy(i, rows[to], source[to])
        side.join()

    found = {}
    found["eager"] = timing.eager(copies, problem.estimate / 2).record()
    found["graph"] = timing.graphed(copies, problem.estimate / 2).record()
    timing.together()
    ranks.free(C)
    return found
