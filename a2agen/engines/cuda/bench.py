"""Times of an operator and of what a user would take instead, on one rank of a process group."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from a2agen.engines.cuda import timing
from a2agen.engines.cuda.job import Job
from a2agen.engines.cuda.loading import exchange_class
from a2agen.engines.cuda.reference import Reference, bits

Record = dict[str, Any]


class Baseline:
    """`all_to_all_single`, with a permute before it where the input has no slab for each rank, and one after it where
    the output lies otherwise than what arrives. Nothing is allocated by a call."""

    def __init__(self, job: Job, source: torch.Tensor) -> None:
        layouts = job.exchange.source, job.exchange.result
        extents = job.values | {"to": job.ranks, "from": job.ranks}
        axes, wanted = layouts[0].axes, layouts[1].axes
        slabs = ("to", *(a for a in axes if a != "to"))
        arrived = ("from", *slabs[1:])
        # Bytes: NCCL takes no integers of 16 bits, and copies what it is given.
        self._source = bits(source).reshape([extents[a] for a in axes]).permute([axes.index(a) for a in slabs])
        self._sent = None if self._source.is_contiguous() else torch.empty_like(self._source.contiguous())
        self._received = torch.empty([extents[a] for a in arrived], dtype=self._source.dtype, device=source.device)
        self._arranged = self._received.permute([arrived.index(a) for a in wanted])
        shape = [extents[a] for a in wanted]
        self._result = None if self._arranged.is_contiguous() else torch.empty(
            shape, dtype=self._source.dtype, device=source.device
        )  # fmt: skip
        self._shape = layouts[1].shape(extents)

    def __call__(self) -> torch.Tensor:
        sent = self._source
        if self._sent is not None:
            sent = self._sent.copy_(sent)
        dist.all_to_all_single(self._received.view(torch.uint8).flatten(), sent.view(torch.uint8).flatten())
        found = self._received if self._result is None else self._result.copy_(self._arranged)
        return found.reshape(self._shape)


def measure(job: Job, group: Any) -> Record:
    """The times of an operator and of the baseline, each verified bit for bit before and after. Collective."""
    device = torch.device("cuda", torch.cuda.current_device())
    rank = dist.get_rank(group)
    reference = Reference(job.exchange, job.values, device, job.seed)
    source, expected = reference.source(0, rank), bits(reference.result(0, rank))
    op = exchange_class(job.folder, job.link)(group, **{name: job.values[name] for name in job.exchange.dims})
    try:
        baseline = Baseline(job, source)
        estimate = timing.eager(baseline, 1000.0, 3).median
        found: Record = {
            "bytes": source.numel() * source.element_size(),
            "ours": _variant(job, lambda: op(source), expected, estimate, job.capturable),
            "baseline": _variant(job, baseline, expected, estimate, True),
        }
        timing.together()
    finally:
        op.close()
    return found | {"environment": environment()}


def _variant(
    job: Job, call: Callable[[], torch.Tensor], expected: torch.Tensor, estimate: float, capturable: bool
) -> Record:
    """One way to do it. The result is spoilt before it is compared, so that none of an earlier call passes."""
    bits(call()).fill_(-1)
    timing.together()
    verified = _same(call(), expected)
    eager = timing.eager(call, estimate, job.batches).record()
    graph = timing.graphed(call, estimate, job.batches).record() if capturable else None
    timing.together()
    return {"verified": verified and _same(call(), expected), "eager": eager, "graph": graph}


def _same(found: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether all ranks found what they should."""
    same = torch.tensor(int(torch.equal(bits(found), expected)), device=found.device)
    dist.all_reduce(same, op=dist.ReduceOp.MIN)
    timing.together()
    return bool(same.item())


def environment() -> Record:
    """What the times were taken with."""
    import triton  # noqa: PLC0415 - missing where the tests of this module run

    version: Any = torch.cuda.nccl.version()
    return {
        "devices": [torch.cuda.get_device_name(n) for n in range(torch.cuda.device_count())],
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "triton": triton.__version__,
        "nccl": ".".join(map(str, version)),
        "python": platform.python_version(),
    }
