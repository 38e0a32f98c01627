"""A process of a run: `python -m a2agen.engines.cuda.worker JOB FOLDER`, one rank by the variables of torchrun, or all
ranks as threads. Results go to a file of the folder.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from a2agen.engines.cuda import rank as ranks
from a2agen.engines.cuda.job import Job, load

THREAD_HEAP_BYTES = 256 << 20
"""The symmetric heap of a thread where A2AGEN_HEAP_BYTES does not say otherwise: several share a GPU."""
LOADING_SECONDS = 120.0


def process(job: Job) -> dict[str, Any]:
    """Run as the rank that the environment says, with a GPU of its own."""
    join()
    try:
        return as_rank(job)
    finally:
        dist.destroy_process_group()


def join() -> None:
    """Make this process a rank of a process group, by the variables of torchrun."""
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    # The first collective sets NCCL up, which no kernel may wait in the midst of.
    dist.barrier()


def as_rank(job: Job) -> dict[str, Any]:
    """Run, or time, as a rank of the process group."""
    rank, device = dist.get_rank(), torch.device("cuda", torch.cuda.current_device())
    begun = time.perf_counter()
    result: dict[str, Any] = {"rank": rank, "wrong": [], "error": None}
    if job.batches:
        from a2agen.engines.cuda.bench import measure  # noqa: PLC0415

        result["times"] = measure(job, dist.group.WORLD)
    else:
        result["wrong"] = ranks.run(job, dist.group.WORLD, rank, device, dist.barrier)
    return result | {"seconds": time.perf_counter() - begun}


def threads(job: Job, devices: list[Any] | None = None) -> list[dict[str, Any]]:
    """Run all ranks in this process, on all its GPUs in turn."""
    from a2agen.engines.cuda.loading import exchange_class  # noqa: PLC0415
    from a2agen.runtime.nvlink import thread_ranks  # noqa: PLC0415 - after CUDA_DEVICE_MAX_CONNECTIONS is set
    from a2agen.runtime.standin import kernel  # noqa: PLC0415

    exchange_class(job.folder)
    devices = devices or [torch.device("cuda", n) for n in range(torch.cuda.device_count())]
    heap = int(os.environ.get("A2AGEN_HEAP_BYTES", str(THREAD_HEAP_BYTES)))
    communicators = thread_ranks(job.ranks, devices, heap)
    results: list[dict[str, Any]] = [{} for _ in communicators]

    def body(rank: int) -> None:
        communicator = communicators[rank]
        device = communicator.device
        torch.cuda.set_device(device)
        begun = time.perf_counter()
        try:
            with torch.cuda.stream(torch.cuda.Stream(device)):
                wrong = ranks.run(job, communicator, rank, device, communicator.barrier)
            results[rank] = {"rank": rank, "wrong": wrong, "error": None}
        except Exception:
            results[rank] = {"rank": rank, "wrong": [], "error": traceback.format_exc()}
            communicator.abandon()
        results[rank]["seconds"] = time.perf_counter() - begun

    hooks = kernel.before_first_launch
    meeting = threading.Barrier(job.ranks)
    hooks.append(lambda: _meet(meeting))
    try:
        running = [threading.Thread(target=body, args=(rank,), daemon=True) for rank in range(job.ranks)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
    finally:
        hooks.pop()
    return results


def _meet(meeting: threading.Barrier) -> None:
    meeting.wait(LOADING_SECONDS)


def main(arguments: list[str]) -> int:
    job, out = load(Path(arguments[0])), Path(arguments[1])
    try:
        results = threads(job) if job.threads else [process(job)]
    except Exception:
        results = [{"rank": int(os.environ.get("RANK", "0")), "wrong": [], "error": traceback.format_exc()}]
    name = "threads" if job.threads else os.environ["RANK"]
    (out / f"{name}.json").write_text(json.dumps(results), encoding="utf-8")
    return 0 if all(r["error"] is None and not r["wrong"] for r in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
