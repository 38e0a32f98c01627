"""What must be right before anything is timed, each an item of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from a2agen.engines.cuda import rank as ranks
from a2agen.engines.cuda.job import Exchange, Job, Layout
from a2agen.engines.cuda.loading import exchange_class

GENERATED = Path(__file__).parent / "generated"
COMBINE = Exchange(
    "W",
    ("S", "H", "D"),
    Layout("A", "bf16", (("to", "S"), ("H",), ("D",))),
    Layout("C", "bf16", (("S",), ("from", "H"), ("D",))),
)
DISPATCH = Exchange(
    "W",
    ("S", "H", "D"),
    Layout("A", "bf16", (("S",), ("to", "H"), ("D",))),
    Layout("C", "bf16", (("from", "S"), ("H",), ("D",))),
)
EXCHANGES = {"combine": COMBINE, "dispatch": DISPATCH}
SHAPES: tuple[dict[str, int], ...] = (
    {"S": 13, "H": 2, "D": 24},
    {"S": 1, "H": 1, "D": 1},
    {"S": 37, "H": 3, "D": 85},
    {"S": 64, "H": 8, "D": 512},
    {"S": 1000, "H": 8, "D": 512},
    {"S": 517, "H": 2, "D": 128},
    {"S": 3, "H": 16, "D": 7168},
)


def folder(exchange: str, schedule: str) -> str:
    return str(GENERATED / exchange / schedule)


def right(exchange: str, schedule: str, size: int, launches: int = 8, delays: float = 0.0) -> dict[str, Any]:
    """All shapes, a few launches each, with changing data."""
    wrong = {}
    for shape in SHAPES if launches < 100 else SHAPES[3:4]:
        job = Job(folder(exchange, schedule), EXCHANGES[exchange], {"W": size, **shape}, launches, delays=delays)
        rank = dist.get_rank()
        found = torch.tensor(
            len(
                ranks.run(job, dist.group.WORLD, rank, torch.device("cuda", torch.cuda.current_device()), dist.barrier)
            ),
            device="cuda",
        )
        dist.all_reduce(found)
        if int(found):
            wrong[str(shape)] = int(found)
    return {"verified": not wrong, "wrong": wrong, "launches": launches}


def traced() -> dict[str, Any]:
    """An operator inside `torch.compile`, and captured in a CUDA graph, gives what it gives by itself."""
    op = exchange_class(folder("combine", "direct"))(dist.group.WORLD, S=64, H=8, D=512)
    A = torch.randn(64 * dist.get_world_size(), 8, 512, device="cuda", dtype=torch.bfloat16)
    wanted = op(A).clone() * 2 + 1
    found: dict[str, Any] = {}
    compiled = torch.compile(lambda x: op(x * 1) * 2 + 1, fullgraph=True)
    found["compiled"] = all(torch.equal(compiled(A), wanted) for _ in range(3))
    held = torch.empty_like(wanted)
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    dist.barrier()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        held.copy_(op(A) * 2 + 1)
    before = torch.cuda.memory_allocated()
    for n in range(5):
        A.copy_(torch.randn_like(A) + n)
        graph.replay()
        torch.cuda.synchronize()
        dist.barrier()
        found["graph"] = found.get("graph", True) and torch.equal(held, op(A) * 2 + 1)
    allocated = torch.cuda.memory_allocated()
    for _ in range(10):
        op(A)
    found["allocates"] = torch.cuda.memory_allocated() - allocated
    del before
    dist.barrier()
    op.close()
    found["verified"] = bool(found["compiled"] and found["graph"] and not found["allocates"])
    return found


def overhead() -> dict[str, Any]:
    """Microseconds of the host for a call, without waiting for the device."""
    import time  # noqa: PLC0415

    found = {}
    for schedule in ("direct", "copy_engine"):
        op = exchange_class(folder("combine", schedule))(dist.group.WORLD, S=4, H=8, D=512)
        A = torch.randn(4 * dist.get_world_size(), 8, 512, device="cuda", dtype=torch.bfloat16)
        for _ in range(20):
            op(A)
        torch.cuda.synchronize()
        dist.barrier()
        begun = time.perf_counter()
        for _ in range(100):
            op(A)
        found[schedule] = round((time.perf_counter() - begun) * 1e4, 2)
        torch.cuda.synchronize()
        dist.barrier()
        op.close()
    return found
