"""The items of a run, in the order of their worth: each has a name, a time limit and a function that gives a record."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any

from benchmarks.gpu.shapes import KIB, MIB, Shape, rows, sizes

Record = dict[str, Any]
SMALL, LARGE = (64 * KIB, 256 * KIB, MIB, 4 * MIB), (16 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB)


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of work of all ranks; `seconds` is how long it may take, `memory` what torch's symmetric memory is to be
    made of, by its environment variable TORCH_SYMMMEM: items of one kind share their processes."""

    name: str
    work: Callable[[], Record]
    seconds: float = 120.0
    memory: str = "CUDA"


def items(quick: bool, gpus: int) -> list[Item]:
    """All items that so many GPUs can do; with `quick` a quarter of the shapes and launches, and no search for the best
    tile."""
    if gpus == 1:
        pairs = [shape for shape in sizes(quick) if shape.nbytes <= 16 * MIB]
        return [Item("environment", environment), *(Item(f"one-gpu {s.label}", partial(_pair, s)) for s in pairs)]
    from benchmarks.gpu import checks  # noqa: PLC0415 - needs torch, which only ranks load

    schedules = [(e, s) for e, names in SCHEDULES.items() for s in names]
    launches = 100 if quick else 1000
    found = [Item("environment", environment)]
    found += [Item(f"right {e} {s}", partial(_right, e, s, 8, 0.0)) for e, s in schedules]
    found += [
        Item("traced", checks.traced, 180.0),
        Item("overhead", checks.overhead),
        *(Item(f"thousand {e} {s}", partial(_right, e, s, launches, 300.0)) for e, s in schedules),
        *(Item(f"times combine {shape.label}", partial(_times, "combine", shape)) for shape in sizes(quick)),
    ]
    copied = [Shape(n, 8 * KIB) for n in (64 * KIB, 16 * MIB, 256 * MIB)]
    found += [Item(f"copying {way} {s.label}", partial(_copying, way, s), 30.0) for s in copied for way in WAYS]
    large = [Shape(n, 8 * KIB) for n in (64 * MIB, 256 * MIB, 512 * MIB, 1024 * MIB)]
    found += [Item(f"copying assist {s.label}", partial(_copying, "assist", s), 60.0) for s in large]
    found += [Item(f"shares {copied[-1].label}", partial(_shares, copied[-1]), 60.0)]
    if not quick:
        found += [Item(f"tune {Shape(n, 8 * KIB).label}", partial(_tune, Shape(n, 8 * KIB))) for n in SMALL + LARGE]
    put = [Shape(n, 8 * KIB) for n in (MIB, 4 * MIB, 16 * MIB)]
    found += [
        *(
            Item(f"handwritten {Shape(n, 8 * KIB).label}", partial(_handwritten, Shape(n, 8 * KIB)))
            for n in SMALL + LARGE
        ),
        Item("launch", _launch),
        *(Item(f"times combine {shape.label}", partial(_times, "combine", shape)) for shape in rows()),
        *(Item(f"staged {shape.label}", partial(_staged, shape)) for shape in sizes(True)),
        *(Item(f"times dispatch {shape.label}", partial(_times, "dispatch", shape)) for shape in sizes(quick)),
        # By the threads of a program where symmetric memory is CUDA's.
        *(Item(f"put {e} by threads", partial(_put, "right", e, 8, 0.0)) for e in SCHEDULES),
        Item("put bindings", partial(_put, "bindings"), 60.0, "NVSHMEM"),
        *(Item(f"put {e}", partial(_put, "right", e, 8, 0.0), 120.0, "NVSHMEM") for e in SCHEDULES),
        *(Item(f"put {e} adrift", partial(_put, "right", e, launches, 300.0), 120.0, "NVSHMEM") for e in SCHEDULES),
        *(Item(f"put {e} {s.label}", partial(_put, "times", e, s), 60.0, "NVSHMEM") for e in SCHEDULES for s in put),
        *(Item(f"vdev {e} {s.label}", partial(_vdev, e, s), 60.0, "NVSHMEM") for e in SCHEDULES for s in sizes(True)),
    ]
    return found


WAYS = ("kernels", "memops")
SCHEDULES = {
    "combine": ("direct", "copy_engine", "auto", "pipelined", "staged"),
    "dispatch": ("direct", "copy_engine", "auto"),
}


def environment() -> Record:
    import torch  # noqa: PLC0415
    import triton  # noqa: PLC0415

    devices = [torch.cuda.get_device_properties(n) for n in range(torch.cuda.device_count())]
    version: Any = torch.cuda.nccl.version()
    return {
        "devices": [d.name for d in devices],
        "multiprocessors": [d.multi_processor_count for d in devices],
        "memory": [d.total_memory for d in devices],
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "triton": triton.__version__,
        "nccl": ".".join(map(str, version)),
        "python": platform.python_version(),
        "kernel": platform.release(),
        "settings": {n: v for n, v in os.environ.items() if n.startswith(("NCCL_", "TORCH_SYMM", "NVSHMEM_", "CUDA_"))},
    }


def _right(exchange: str, schedule: str, launches: int, delays: float) -> Record:
    import torch.distributed as dist  # noqa: PLC0415

    from benchmarks.gpu import checks  # noqa: PLC0415

    return checks.right(exchange, schedule, dist.get_world_size(), launches, delays)


def _times(exchange: str, shape: Shape) -> Record:
    from benchmarks.gpu import exchange as one  # noqa: PLC0415
    from benchmarks.gpu import timing  # noqa: PLC0415

    problem = one.Problem(exchange, shape)
    found: Record = {"bytes": shape.nbytes, "row": shape.row, "remote": problem.remote_bytes}
    found["nccl"] = one.variant(problem, problem.baseline, problem.result)
    found["nccl alone"] = {"graph": timing.graphed(problem.alone, problem.estimate).record()}
    with ExitStack() as stack:
        ops = {name: stack.enter_context(one.operator(problem, name)) for name in ("direct", "copy_engine", "auto")}
        calls = {name: (partial(op, problem.A), op(problem.A)) for name, op in ops.items()}
        for name, (call, result) in calls.items():
            found[name] = one.variant(problem, call, result, "eager")
        # In turns: `auto` launches what one of the others does, and is compared with both.
        for name, times in one.in_turns(problem, calls).items():
            found[name] |= times | {"verified": found[name]["verified"] and times["verified"]}
        found["direct"] |= {"tile": list(ops["direct"]._tile), "cores": ops["direct"]._cores}
        found["auto"] |= {"link": ops["auto"].link}
    found["limit"] = one.limit(problem)
    return found


def _vdev(exchange: str, shape: Shape) -> Record:
    """torch's exchange of slabs whose sizes the device knows, with the permute it needs, beside NCCL with the same."""
    from benchmarks.gpu import exchange as one  # noqa: PLC0415
    from benchmarks.gpu import vdev  # noqa: PLC0415

    problem = one.Problem(exchange, shape)
    found: Record = {"bytes": shape.nbytes}
    found["nccl"] = one.variant(problem, problem.baseline, problem.result)
    with vdev.exchange(problem) as (call, result):
        found["vdev"] = one.variant(problem, call, result)
    return found


def _put(what: str, *arguments: Any) -> Record:
    from benchmarks.gpu import putting  # noqa: PLC0415

    found: Record = getattr(putting, what)(*arguments)
    return found


def _tune(shape: Shape) -> Record:
    """The direct kernel with other numbers of programs and tiles."""
    from a2agen.runtime import Costs  # noqa: PLC0415
    from benchmarks.gpu import exchange as one  # noqa: PLC0415

    problem = one.Problem("combine", shape)
    cores = (16, 32, 64, 132) if shape.nbytes in SMALL else (66, 132, 264)
    found: Record = {"bytes": shape.nbytes}
    # By these costs the fewest rounds are best: the largest tile, and as many programs as there may be.
    costs = Costs(start=0.0, latency=1.0, task_rate=inf, announce=0.0, rate=inf)
    for count in cores:
        for tile in (2048, 4096, 8192):
            with one.operator(problem, "direct", cores=count, tile=tile, costs=costs) as op:
                timed = one.variant(problem, partial(op, problem.A), op(problem.A), "graph")
                found[f"{count} x {tile}"] = {**timed, "tile": list(op._tile), "cores": op._cores}
    return found


def _handwritten(shape: Shape) -> Record:
    """The emitted kernel and the same by hand, with the tile and the programs of the emitted one, timed in turns."""
    import torch.distributed as dist  # noqa: PLC0415

    from a2agen.runtime import connect  # noqa: PLC0415
    from benchmarks.gpu import exchange as one  # noqa: PLC0415
    from benchmarks.gpu.handwritten import FLAGS, Direct  # noqa: PLC0415

    problem = one.Problem("combine", shape)
    with one.operator(problem, "direct") as op:
        shapes = (problem.S, problem.run)
        ranks = connect(dist.group.WORLD)
        hands = {name: Direct(ranks, shapes, one.DTYPE, op._cores, op._tile, **flags) for name, flags in FLAGS.items()}
        calls = {"emitted": (partial(op, problem.A), op(problem.A))}
        calls |= {name: (partial(hand, problem.A), hand.result) for name, hand in hands.items()}
        found: Record = {"bytes": shape.nbytes, "tile": list(op._tile), "cores": op._cores}
        found |= one.in_turns(problem, calls)
        for hand in hands.values():
            hand.close()
    return found


def _pair(shape: Shape) -> Record:
    """The same with both ranks on one GPU."""
    import torch  # noqa: PLC0415

    from benchmarks.gpu import pair  # noqa: PLC0415

    return pair.measure(shape, torch.device("cuda", torch.cuda.current_device()))


def _copying(way: str, shape: Shape) -> Record:
    """What surrounds the copies of a copy engine, in several ways."""
    from benchmarks.gpu import copying  # noqa: PLC0415
    from benchmarks.gpu.exchange import Problem  # noqa: PLC0415

    return copying.measure(way, Problem("combine", shape))


def _shares(shape: Shape) -> Record:
    """The link with the copy engine and the multiprocessors on it at once."""
    from benchmarks.gpu import copying  # noqa: PLC0415
    from benchmarks.gpu.exchange import Problem  # noqa: PLC0415

    return copying.shares(Problem("combine", shape))


def _launch() -> Record:
    """What a launch of a kernel that does nothing costs in a graph."""
    import torch  # noqa: PLC0415

    from benchmarks.gpu import timing  # noqa: PLC0415
    from benchmarks.gpu.handwritten import nothing  # noqa: PLC0415

    epochs = torch.zeros(528 * 16, dtype=torch.int64, device="cuda")
    found = {}
    for cores in (1, 8, 32, 132, 264, 528):
        call = partial(nothing[(cores,)], epochs)
        found[str(cores)] = {"graph": timing.graphed(call, 5.0).record(), "eager": timing.eager(call, 5.0).record()}
    return found


def _staged(shape: Shape) -> Record:
    """What staging costs: the schedules that go through a buffer at the peers."""
    from benchmarks.gpu import exchange as one  # noqa: PLC0415

    problem = one.Problem("combine", shape)
    found: Record = {"bytes": shape.nbytes}
    for schedule in ("pipelined", "staged"):
        with one.operator(problem, schedule) as op:
            found[schedule] = one.variant(problem, partial(op, problem.A), op(problem.A), "graph")
    return found
