"""NVSHMEM puts: whether torch's bindings are to be had, whether results are right, and what a call takes.

Whatever the bindings say is written down as the item's error, so that a run goes on without them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.distributed as dist

from a2agen.runtime import connect
from a2agen.runtime.standin import nvshmem
from benchmarks.gpu import checks
from benchmarks.gpu import exchange as one
from benchmarks.gpu.shapes import Shape

Record = dict[str, Any]


def softly(work: Callable[[], Record]) -> Record:
    """What an item gives, or why it could not."""
    try:
        return work()
    except Exception as failure:
        return {"verified": False, "error": f"{type(failure).__name__}: {failure}"[-1500:]}


def bindings() -> Record:
    """What torch has of NVSHMEM, step by step; the first that fails says so."""
    return softly(_bindings)


def _bindings() -> Record:
    import torch.distributed._symmetric_memory as symmetric  # noqa: PLC0415 - where CUDA is

    found: Record = {"in use": bool(nvshmem.IN_USE.value), "available": symmetric.is_nvshmem_available()}
    found["library"] = nvshmem.libraries()[nvshmem.LIBRARY]
    ranks = connect(dist.group.WORLD)
    words = ranks.symmetric(ranks.size * 16, torch.uint64)
    words.zero_()
    ranks.synchronize()
    ranks.barrier()
    found["heap"] = {"rank": ranks.rank, "size": ranks.size}
    ranks.free(words)
    return found | {"verified": found["in use"] and found["available"]}


def right(exchange: str, launches: int, delays: float) -> Record:
    """Bit for bit, in all shapes, or in one with ranks adrift."""
    return softly(partial(checks.right, exchange, "put", dist.get_world_size(), launches, delays))


def times(exchange: str, shape: Shape) -> Record:
    """Puts beside loads and stores on the same heap, and what a user would take instead."""
    return softly(partial(_times, exchange, shape))


def _times(exchange: str, shape: Shape) -> Record:
    problem = one.Problem(exchange, shape)
    found: Record = {"bytes": shape.nbytes}
    found["nccl"] = one.variant(problem, problem.baseline, problem.result)
    for schedule in ("put", "direct"):
        with one.operator(problem, schedule) as op:
            found[schedule] = one.variant(problem, partial(op, problem.A), op(problem.A))
    return found
