"""One rank of a run: launches an operator with changing data, and compares what came out bit for bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from a2agen.engines.cuda.job import Job
from a2agen.engines.cuda.loading import exchange_class
from a2agen.engines.cuda.reference import Reference, bits

SETS = 4
"""Inputs that launches take in turn: neighbours differ, and so do launches as far apart as ranks can be."""
CYCLES_PER_MICROSECOND = 1500
"""Of the clock that torch's sleep counts, about: delays need not be exact."""


@dataclass(slots=True)
class Data:
    """The inputs of a rank and what must come of each, and places for what did."""

    sources: list[torch.Tensor]
    expected: list[torch.Tensor]
    differs: torch.Tensor
    any_differs: torch.Tensor
    wrong: torch.Tensor


def data_of(job: Job, rank: int, device: Any) -> Data:
    """All that launches need, so that nothing is allocated between them."""
    reference = Reference(job.exchange, job.values, device, job.seed)
    sets = min(SETS, job.launches)
    expected = [bits(reference.result(n, rank)) for n in range(sets)]
    sources = [reference.source(n, rank) for n in range(sets)]
    if job.exchange.source.strided:
        sources = [_with_gaps(source) for source in sources]
    differs = torch.empty_like(expected[0], dtype=torch.bool)
    flags = torch.zeros(job.launches, dtype=torch.bool, device=device)
    return Data(sources, expected, differs, torch.zeros((), dtype=torch.bool, device=device), flags)


def run(job: Job, group: Any, rank: int, device: Any, meet: Callable[[], None]) -> list[int]:
    """Launch as the job says; the launches after which something differed. `meet` lets all ranks come together."""
    exchange = exchange_class(job.folder, job.link)
    data = data_of(job, rank, device)
    kwargs = {name: job.values[name] for name in job.exchange.dims}
    kind = exchange if job.cores is None else type("Exchange", (exchange,), {"cores": job.cores})
    op = kind(group, **kwargs)
    # Whatever torch runs between launches is loaded before the first one.
    _check(data, 0, data.expected[0])
    data.wrong.zero_()
    torch.cuda.synchronize(device)
    meet()
    chance = random.Random(job.seed * 1_000_003 + rank)
    for n in range(job.launches):
        if job.delays:
            torch.cuda._sleep(int(chance.random() ** 3 * job.delays * CYCLES_PER_MICROSECOND))
        _check(data, n, bits(op(data.sources[n % len(data.sources)])))
    torch.cuda.synchronize(device)
    wrong = [int(n) for n in torch.nonzero(data.wrong).flatten().tolist()]
    meet()
    op.close()
    return wrong


def _check(data: Data, launch: int, found: torch.Tensor) -> None:
    """Note on the device whether a launch's output differs, without waiting for it."""
    torch.ne(found, data.expected[launch % len(data.expected)], out=data.differs)
    torch.any(data.differs, out=data.any_differs)
    data.wrong[launch : launch + 1].copy_(data.any_differs)


def _with_gaps(tensor: torch.Tensor) -> torch.Tensor:
    """The same elements, with gaps between the rows."""
    wide = torch.zeros((*tensor.shape[:-1], tensor.shape[-1] + 5), dtype=tensor.dtype, device=tensor.device)
    wide[..., : tensor.shape[-1]] = tensor
    return wide[..., : tensor.shape[-1]]
