"""`all_to_all_vdev` of torch's symmetric memory, carried by NVSHMEM, and the permute that an exchange needs with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric

from benchmarks.gpu.exchange import DTYPE, Problem


@contextmanager
def exchange(problem: Problem) -> Iterator[tuple[Callable[[], torch.Tensor], torch.Tensor]]:
    """A callable for the exchange of a problem, and where its result lies. Needs TORCH_SYMMMEM=NVSHMEM."""
    group = dist.group.WORLD
    W, S, run = problem.size, problem.S, problem.run
    combine = problem.name == "combine"
    sent, received = (_symmetric(W * S * run, DTYPE, group) for _ in range(2))
    sizes, found = _symmetric(W, torch.int64, group), _symmetric(2 * W, torch.int64, group)
    sizes.fill_(S * run)
    result = torch.empty_like(problem.result) if combine else received.view(problem.result.shape)

    # It takes symmetric memory alone. Where nothing is permuted first, the input is there already, in its favour.
    sent.copy_(problem.A.view(-1))

    def call() -> torch.Tensor:
        if not combine:
            sent.view(W, S, run).copy_(problem.A.view(S, W, run).permute(1, 0, 2))
        torch.ops.symm_mem.all_to_all_vdev(sent, received, sizes, found.view(2, W), group.group_name)
        if combine:
            result.copy_(received.view(W, S, run).permute(1, 0, 2))
        return result

    yield call, result
    torch.cuda.synchronize()
    dist.barrier()


def _symmetric(elements: int, dtype: Any, group: Any) -> torch.Tensor:
    tensor = symmetric.empty(elements, dtype=dtype, device=torch.device("cuda", torch.cuda.current_device()))
    symmetric.rendezvous(tensor, group.group_name)
    return tensor
