"""Measures the schedules for GPUs on this machine: right results first, then times against NCCL and the copy engine.

    python benchmarks/nvidia.py [--quick] [--out FOLDER] [--limit SECONDS] [--only TEXT] [--gpus N]

One process a GPU. With `--gpus 1` two ranks share one, and emitted kernels are compared with kernels by hand alone. The
results of each item are written as it ends, to `results.jsonl`; an item that hangs or fails costs itself alone: the
processes are ended and started again with the rest. At the end `nvidia.json` has them all with the environment, and a
table is printed. Without as many GPUs it says so, and ends well.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.gpu.items import Item

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

START_SECONDS = 120.0
THREADS_SECONDS = 75.0
HEAP_BYTES = 7 << 30
THREADS = (
    ("combine", "direct", 3, None),
    ("dispatch", "direct", 8, None),
    ("combine", "copy_engine", 4, None),
    ("combine", "pipelined", 4, None),
    ("combine", "put", 3, None),
    ("dispatch", "put", 4, None),
    ("combine", "auto", 3, "ldst"),
    ("dispatch", "auto", 4, "ce"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer shapes and launches")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results", help="where results go")
    parser.add_argument("--limit", type=float, default=540.0, help="seconds after which no item is begun")
    parser.add_argument("--only", default="", help="items whose names contain this, or one of several apart by commas")
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--names", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank is not None:
        return rank(options)
    return parent(options)


def parent(options: argparse.Namespace) -> int:
    try:
        import torch  # noqa: PLC0415
    except ImportError:
        print("no torch, so no GPU to measure on")
        return 0
    if torch.cuda.device_count() < options.gpus:
        print(f"{options.gpus} GPUs are needed, found {torch.cuda.device_count()}: nothing is measured")
        return 0
    from benchmarks.gpu.items import items  # noqa: PLC0415

    begun = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    lines = options.out / "results.jsonl"
    lines.write_text("")
    wanted = [text for text in options.only.split(",") if text]
    rest = [i for i in items(options.quick, options.gpus) if not wanted or any(text in i.name for text in wanted)]
    # Ranks as threads come last, in processes of their own.
    with_threads = options.gpus > 1 and (not wanted or "threads" in wanted)
    options.limit -= THREADS_SECONDS if with_threads and not wanted else 0.0
    missing = []
    for memory in dict.fromkeys(item.memory for item in rest):
        missing += processes(options, lines, [item for item in rest if item.memory == memory], begun)
    if with_threads:
        threads(options, lines, begun)
    from benchmarks.gpu.report import report  # noqa: PLC0415

    print(report(read(lines), options.out, missing))
    return 0


def processes(options: argparse.Namespace, lines: Path, items: list[Item], begun: float) -> list[str]:
    """Items of one kind of symmetric memory, by one process a GPU; the names of those that time has not allowed."""
    limits = {item.name: item.seconds for item in items}
    names = [item.name for item in items]
    while names and time.monotonic() - begun < options.limit:
        port = 29500 + int(time.time()) % 400
        started = [start(options, r, names, port, items[0].memory) for r in range(options.gpus)]
        failed = watch(options, lines, names, limits, started, begun)
        done = {record["item"] for record in read(lines)}
        names = [name for name in names if name not in done]
        if failed is not None and names:
            errors = {f"rank {r}": tail(options.out / f"rank{r}.err") for r in range(options.gpus)}
            with lines.open("a") as file:
                file.write(json.dumps({"item": names[0], "error": failed, "tails": errors}) + "\n")
            print(
                f"FAILED {names[0]}: {failed}",
                *(f"--- {r}\n{text}" for r, text in errors.items()),
                sep="\n",
                flush=True,
            )
            names = names[1:]
    return names


def threads(options: argparse.Namespace, lines: Path, begun: float) -> None:
    """More ranks than GPUs, as threads of one process: whether the results are right."""
    from a2agen.engines.cuda.job import Job  # noqa: PLC0415
    from benchmarks.gpu.checks import EXCHANGES, folder  # noqa: PLC0415

    end = begun + options.limit + THREADS_SECONDS
    for exchange, schedule, ranks, link in THREADS:
        left = end - time.monotonic()
        if left < 15:
            return
        name = f"threads {exchange} {schedule}{f' by {link}' if link else ''} of {ranks}"
        values = {"W": ranks, "S": 37, "H": 3, "D": 88}
        place, delays = folder(exchange, schedule), 50.0
        job = Job(place, EXCHANGES[exchange], values, launches=20, delays=delays, threads=True, cores=24, link=link)
        job.save(options.out / "job.json")
        command = [sys.executable, "-m", "a2agen.engines.cuda.worker", str(options.out / "job.json"), str(options.out)]
        result: dict[str, Any]
        try:
            environment = os.environ | {"CUDA_DEVICE_MAX_CONNECTIONS": "32"}
            done = subprocess.run(
                command, env=environment, cwd=ROOT, timeout=min(left, 60), capture_output=True, text=True, check=False
            )
            found = json.loads((options.out / "threads.json").read_text())
            errors = [r["error"] for r in found if r["error"]]
            result = {"verified": done.returncode == 0, "wrong": [r["wrong"] for r in found], "errors": errors[:2]}
        except (subprocess.TimeoutExpired, OSError, ValueError) as failure:
            result = {"verified": False, "errors": [str(failure)[-800:]]}
        with lines.open("a") as file:
            file.write(json.dumps({"item": name, "result": result}) + "\n")
        print(f"{name}: {brief(result)}", flush=True)


def start(
    options: argparse.Namespace, number: int, names: list[str], port: int, memory: str
) -> subprocess.Popen[bytes]:
    environment = os.environ | {
        "TORCH_SYMMMEM": memory,
        "RANK": str(number),
        "LOCAL_RANK": str(number),
        "WORLD_SIZE": str(options.gpus),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "A2AGEN_HEAP_BYTES": str(HEAP_BYTES),
        "CUDA_DEVICE_MAX_CONNECTIONS": "32",
        "PYTHONUNBUFFERED": "1",
    }
    command = [sys.executable, __file__, "--rank", str(number), "--out", str(options.out), "--names", json.dumps(names)]
    command += ["--quick"] if options.quick else []
    with (options.out / f"rank{number}.err").open("wb") as errors:
        return subprocess.Popen(command, env=environment, stderr=errors, cwd=ROOT, start_new_session=True)


def watch(
    options: argparse.Namespace,
    lines: Path,
    names: list[str],
    limits: dict[str, float],
    processes: list[subprocess.Popen[bytes]],
    begun: float,
) -> str | None:
    """Until all processes have ended; why the item at hand has failed, None where none has."""
    count, since = len(read(lines)), time.monotonic()
    first = True
    try:
        while any(process.poll() is None for process in processes):
            time.sleep(0.25)
            now = len(read(lines))
            if now != count:
                count, since, first = now, time.monotonic(), False
            done = {record["item"] for record in read(lines)}
            current = next((name for name in names if name not in done), None)
            if current is None:
                since_done = time.monotonic() - since
                if since_done > 30:
                    return None
                continue
            allowed = limits[current] + (START_SECONDS if first else 0.0)
            if time.monotonic() - since > allowed:
                return f"took longer than {allowed:.0f} s"
            if time.monotonic() - begun > options.limit:
                return "the time of the whole run is over"
            if any(process.poll() not in (None, 0) for process in processes):
                time.sleep(2.0)
                return f"a rank ended with {[process.poll() for process in processes]}"
        codes = [process.poll() for process in processes]
        return None if not any(codes) else f"ranks ended with {codes}"
    finally:
        for process in processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def rank(options: argparse.Namespace) -> int:
    """One rank: goes through the items it is told of; rank 0 writes their results down."""
    import torch  # noqa: PLC0415
    import torch.distributed as dist  # noqa: PLC0415

    from a2agen.runtime import standin  # noqa: PLC0415

    standin.install()
    from benchmarks.gpu.items import items  # noqa: PLC0415

    device = torch.device("cuda", options.rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    dist.barrier()
    names = json.loads(options.names)
    known = {item.name: item for item in items(options.quick, dist.get_world_size())}
    for name in names:
        begun = time.monotonic()
        try:
            result = known[name].work()
        except Exception:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.empty_cache()
        if options.rank == 0:
            seconds = round(time.monotonic() - begun, 2)
            with (options.out / "results.jsonl").open("a") as file:
                file.write(json.dumps({"item": name, "result": result, "seconds": seconds}) + "\n")
            print(f"{seconds:7.2f} s  {name}  {brief(result)}", flush=True)
        dist.barrier()
    os._exit(0)


def brief(result: dict[str, Any]) -> str:
    text = json.dumps(result)
    return text if len(text) < 700 else f"{text[:700]} …"


def read(lines: Path) -> list[dict[str, Any]]:
    whole = lines.read_text().split("\n")[:-1]
    return [json.loads(line) for line in whole]


def tail(path: Path) -> str:
    return path.read_text(errors="replace")[-2500:]


if __name__ == "__main__":
    sys.exit(main())
