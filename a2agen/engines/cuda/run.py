"""Runs schedules on GPUs: writes their files, starts a process for each rank, or is one, and gathers the results."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a2agen.emit.compile import schedule_files
from a2agen.engines.cuda.job import Exchange, Job, Layout
from a2agen.engines.cuda.machine import Place
from a2agen.ir.model import Schedule, Storage
from a2agen.passes import analysis, words
from a2agen.passes.ways import link_of

if TYPE_CHECKING:
    from a2agen.passes.check import Checked

SECONDS = 300.0
"""How long a run may take, the start of its processes included; a kernel that waits for ever ends with it."""
SETTLE_SECONDS = 20.0
"""How long the other ranks have to end when one has failed."""
ROOT = Path(__file__).resolve().parents[3]
"""Where processes find this package, installed or not."""
_HEAP_LEAST, _HEAP_STEP = 64 << 20, 2 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run. `error` says why it is not verified; `times` are those of `bench`, None where none are."""

    verified: bool
    launches: int
    seconds: float
    error: str | None = None
    times: dict[str, Any] | None = None
    interleavings: int = 1


@dataclass(frozen=True, slots=True)
class Machine:
    """GPUs here, and this process's place in a job of torchrun, None where it starts processes itself."""

    gpus: int
    place: Place | None = None
    seconds: float = SECONDS


def job_of(schedule: Schedule, values: dict[str, int], folder: Path, gpus: int, **options: Any) -> Job:
    """The job of a schedule whose files are in `folder`. More ranks than GPUs are threads, with fewer cores each."""
    exchange = schedule.exchange
    found = Exchange(exchange.ranks, exchange.dims, _layout(exchange.source), _layout(exchange.result))
    ranks = values[exchange.ranks]
    shared = ranks > gpus
    return Job(
        folder=str(folder),
        exchange=found,
        values=values,
        threads=shared,
        cores=shared_cores(schedule, ranks, gpus) if shared else None,
        capturable=schedule.rounds != "reset",
        link=None if schedule.auto is None else link_of(schedule).name,
        nvshmem=not shared and puts(schedule),
        **options,
    )


def puts(schedule: Schedule) -> bool:
    """Whether kernels of a schedule call NVSHMEM."""
    return any(analysis.leaves_node(schedule, phase) for phase in schedule.phases)


def memory_of(job: Job) -> dict[str, str]:
    """What a process of a job needs in its environment, before it imports torch, for the symmetric memory that it has
    to have; what the caller says of that goes before."""
    return {"TORCH_SYMMMEM": "NVSHMEM"} if job.nvshmem and "TORCH_SYMMMEM" not in os.environ else {}


def shared_cores(schedule: Schedule, ranks: int, gpus: int) -> int:
    """The cores of a rank where ranks share GPUs: all of a GPU's ranks fit on half of it, and the number is even.

    All cores of all ranks wait for each other, so they must be resident at once, and torch's own kernels beside them.
    """
    cores = analysis.launch_cores(schedule)
    share = schedule.target.cores // -(-ranks // gpus) // 2
    return min(cores, max(2, share // 2 * 2))


def heap_bytes(schedule: Schedule, values: dict[str, int]) -> int:
    """The symmetric heap that a rank of a run needs, with room for where tensors start."""
    held = [analysis.storage_bytes(schedule, s).evaluate(values) for s in schedule.storages if s.symmetric]
    needed = sum(held) + words.signal_bytes(schedule).evaluate(values) + (64 << 10) * (len(held) + 8)
    return max(_HEAP_LEAST, -(-needed // _HEAP_STEP) * _HEAP_STEP)


def execute(checked: Checked, schedule: Schedule, values: dict[str, int], machine: Machine, **options: Any) -> Outcome:
    """Run a schedule, or with `batches` time it, as its launcher launches it; `options` are those of a `Job`."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="a2agen-") as name:
        folder = Path(name)
        for file, text in schedule_files(schedule, checked.source).items():
            (folder / file).write_text(text, encoding="utf-8")
        job = job_of(schedule, values, folder, machine.place.size if machine.place else machine.gpus, **options)
        heap = heap_bytes(schedule, values)
        results, failure = _inside(job, heap) if machine.place else spawned(job, heap, folder, machine.seconds)
    return outcome_of(job, results, failure, time.perf_counter() - begun)


def outcome_of(job: Job, results: list[dict[str, Any]], failure: str | None, seconds: float) -> Outcome:
    """What the ranks' results come to; `failure` says why some are missing."""
    errors = [f"rank {r['rank']}: {r['error'].strip()}" for r in results if r["error"]]
    wrong = {r["rank"]: r["wrong"] for r in results if r["wrong"]}
    times = next((r["times"] for r in results if "times" in r), None)
    error = None
    if errors:
        error = errors[0]
    elif failure is not None:
        error = failure
    elif wrong:
        error = "; ".join(f"rank {r}: the output of launch {', '.join(map(str, n))} is wrong" for r, n in wrong.items())
    elif times is not None and not times["ours"]["verified"]:
        error = "a timed launch gave a wrong output"
    elif times is not None and not times["baseline"]["verified"]:
        error = "all_to_all_single and permute gave a wrong output"
    elif len(results) < job.ranks:
        error = f"only {len(results)} of {job.ranks} ranks gave a result"
    return Outcome(error is None, job.launches, seconds, error, times)


def _inside(job: Job, heap: int) -> tuple[list[dict[str, Any]], str | None]:
    """As one rank of a job that torchrun started; every rank gets the results of all."""
    os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS", "32")
    # torch reads it when it is imported: of several schedules, the first one decides.
    os.environ.update(memory_of(job))
    import torch.distributed as dist  # noqa: PLC0415 - the engine's need, not the compiler's

    from a2agen.engines.cuda import worker  # noqa: PLC0415

    if not dist.is_initialized():
        # A process has one heap, made with its first operator.
        os.environ.setdefault("A2AGEN_HEAP_BYTES", str(max(heap, 4 << 30)))
        worker.join()
        atexit.register(dist.destroy_process_group)
    results: list[dict[str, Any]] = [{} for _ in range(job.ranks)]
    dist.all_gather_object(results, worker.as_rank(job))
    return results, None


def spawned(job: Job, heap: int, folder: Path, seconds: float) -> tuple[list[dict[str, Any]], str | None]:
    """The results of a process for each rank, or one for all of them, with why some are missing; `folder` is for files.

    `heap` is in bytes. After `seconds` those that are left are ended.
    """
    path = folder / "job.json"
    job.save(path)
    names = ["threads"] if job.threads else [str(rank) for rank in range(job.ranks)]
    port = _free_port()
    processes = []
    try:
        for name in names:
            environment = os.environ | {"A2AGEN_HEAP_BYTES": str(heap), "CUDA_DEVICE_MAX_CONNECTIONS": "32"}
            environment |= memory_of(job)
            environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(
                os.pathsep
            )
            if not job.threads:
                environment |= {"RANK": name, "LOCAL_RANK": name, "WORLD_SIZE": str(job.ranks)}
                environment |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
            with (folder / f"{name}.err").open("wb") as errors:
                command = [sys.executable, "-m", "a2agen.engines.cuda.worker", str(path), str(folder)]
                processes.append(
                    subprocess.Popen(command, env=environment, stdout=errors, stderr=errors, start_new_session=True)
                )
        late = _wait(processes, seconds)
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    results: list[dict[str, Any]] = []
    for name in names:
        if (folder / f"{name}.json").exists():
            results += json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    if late is None and len(results) < job.ranks:
        tails = [(folder / f"{name}.err").read_text(encoding="utf-8", errors="replace")[-1500:] for name in names]
        said = next((tail.strip() for tail in tails if tail.strip()), "they say nothing")
        late = f"{job.ranks - len(results)} of {job.ranks} ranks ended without a result: {said}"
    return results, late


def _wait(processes: list[subprocess.Popen[bytes]], seconds: float) -> str | None:
    """Until all have ended, or one has failed and the others had time to end too; why it was cut short."""
    end, failed = time.monotonic() + seconds, False
    while any(process.poll() is None for process in processes):
        if not failed and any(process.poll() for process in processes):
            end, failed = time.monotonic() + SETTLE_SECONDS, True
        if time.monotonic() > end:
            return None if failed else f"no end within {seconds:.0f} s: a kernel waits for what does not come"
        time.sleep(0.05)
    return None


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _layout(storage: Storage) -> Layout:
    return Layout(storage.name, storage.dtype, storage.layout.factors, storage.strided)
