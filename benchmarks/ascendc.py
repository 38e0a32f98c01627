"""Kernels in Ascend C on the CPU engine: what is taken out is found every time, and a thousand rounds go through.

`python benchmarks/ascendc.py [--runs N] [--unedited N] [--rounds N] [--results FILE]`. For every schedule under specs/
that is emitted as Ascend C:

- the processor time to compile it with its host program, by g++ as it is and with each sanitizer, the engine's own code
  being there already (aim: 6 s);
- runs of the kernel as it is with all checks, in which nothing may be found (200), and once under each sanitizer;
- each operation of synchronisation taken out, with 20 seeds: for each one of the small shapes must report something;
- where launches need no host barrier between them (`rounds epoch`): 1,000 launches in a row by 4 ranks, with the queues
  to each peer that the schedule has, checks on, all results compared.

Exit 1 where one of these does not hold. The results go to benchmarks/results/ascendc.json.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from a2agen.engines.ascendc import sanitize
from a2agen.engines.ascendc.build import ADDRESSES, ORDERED, THREADS, VARIANTS, Sources, Variant, built, runtime_of
from a2agen.engines.ascendc.data import host_arguments, input_files
from a2agen.engines.ascendc.memories import machine_of
from a2agen.engines.ascendc.run import Job, search, sources_of
from a2agen.engines.ascendc.toolchain import compiler
from a2agen.engines.cpu.run import exchange_of
from a2agen.engines.setups import Setup
from a2agen.engines.small import small_cores, small_setups
from a2agen.ir.model import Schedule
from tests.engines.ascendc.removals import removals
from tests.engines.ascendc.shipped import name_of, shipped

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "ascendc.json"
WORKERS = 2
RANKS = 4
MOST_SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with the schedule of a number, and how often; `part` says to which of several."""

    what: str
    schedule: int
    count: int
    part: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of it. `of`: runs, rounds or a limit of seconds; `value`: how many were as they must be, or seconds."""

    schedule: str
    what: str
    part: str
    value: float
    of: float
    right: bool
    seconds: float
    said: str = ""


def tasks(options: argparse.Namespace) -> Iterator[Task]:
    for number, (checked, schedule) in enumerate(shipped()):
        for variant in VARIANTS:
            yield Task("compile", number, 1, variant.name)
        yield Task("unedited", number, options.unedited)
        for variant in (THREADS, ADDRESSES):
            yield Task("sanitizer", number, 1, variant.name)
        for removal in removals(sources_of(checked, schedule).kernel):
            yield Task("taken out", number, options.runs, str(removal))
        if schedule.rounds == "epoch":
            yield Task("rounds", number, options.rounds)


def work(task: Task) -> Result:
    checked, schedule = shipped()[task.schedule]
    sources = sources_of(checked, schedule)
    begun = time.perf_counter()
    if task.what == "compile":
        value, of, right, said = _compile(task, sources)
    else:
        doing = {"unedited": _unedited, "sanitizer": _sanitized, "taken out": _without, "rounds": _rounds}
        value, of, right, said = doing[task.what](task, schedule, sources)
    seconds = round(time.perf_counter() - begun, 2)
    return Result(name_of(schedule), task.what, task.part, value, of, right, seconds, said)


def _variant(task: Task) -> Variant:
    return next(v for v in VARIANTS if v.name == task.part)


def _job(schedule: Schedule, sources: Sources) -> Job:
    return Job(built(sources), exchange_of(schedule), machine_of(schedule.target), schedule)


def _compile(task: Task, sources: Sources) -> tuple[float, float, bool, str]:
    variant = _variant(task)
    runtime_of(variant)
    new = f"\n// {time.time_ns()}\n"
    fresh = Sources(sources.kernel + new, sources.kernel_path, sources.host + new, sources.host_path)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    built(fresh, variant)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = round(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, 2)
    return seconds, MOST_SECONDS, seconds <= MOST_SECONDS, ""


def _unedited(task: Task, schedule: Schedule, sources: Sources) -> tuple[float, float, bool, str]:
    outcome = search(_job(schedule, sources), small_setups(schedule), interleavings=task.count)
    said = outcome.error or "; ".join(f"{f.kind}: {f.text} (seed {f.seed})" for f in outcome.findings)
    return outcome.interleavings, task.count, outcome.verified, said


def _without(task: Task, schedule: Schedule, sources: Sources) -> tuple[float, float, bool, str]:
    removal = next(r for r in removals(sources.kernel) if str(r) == task.part)
    job = _job(schedule, Sources(removal.text, sources.kernel_path, sources.host, sources.host_path))
    found, kinds = 0, set[str]()
    for seed in range(task.count):
        # What runs at the edge of the shapes alone is not in the first of them.
        for setup in small_setups(schedule):
            outcome = search(job, (setup,), seed=seed)
            if outcome.findings and outcome.error is None:
                found += 1
                kinds |= {f.kind for f in outcome.findings}
                break
    return found, task.count, found == task.count, ", ".join(sorted(kinds)) or "nothing"


def _rounds(task: Task, schedule: Schedule, sources: Sources) -> tuple[float, float, bool, str]:
    wanted = {"S": 9, "H": 2, "D": 40}
    extents = {e.name: (e.lo, e.hi) for e in schedule.exchange.bounds.extents}
    values = {name: max(low, min(high, wanted.get(name, 2))) for name, (low, high) in extents.items()}
    values[schedule.exchange.ranks] = RANKS
    setups = (Setup(values, small_cores(schedule, RANKS)),)
    outcome = search(_job(schedule, sources), setups, launches=task.count)
    said = outcome.error or "; ".join(f"{f.kind}: {f.text}" for f in outcome.findings)
    queues = max(phase.link.queues for phase in schedule.phases)
    shape = f"{RANKS} ranks, {queues} queue{'s' * (queues != 1)} to a peer, {setups[0].cores} cores"
    return task.count * outcome.verified, task.count, outcome.verified, said or shape


def _sanitized(task: Task, schedule: Schedule, sources: Sources) -> tuple[float, float, bool, str]:
    setup = small_setups(schedule)[0]
    exchange = exchange_of(schedule)
    ranks = setup.values[exchange.ranks]
    program = built(sources, _variant(task))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        input_files(exchange, setup, 3, folder)
        arguments = host_arguments(exchange, setup, 3, folder)
        verdict = sanitize.run(program, folder, ranks=ranks, seed=1, arguments=arguments)
    right = verdict.complete and not verdict.reports
    return int(right), 1, right, "; ".join(verdict.reports)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the CPU engine on kernels in Ascend C.")
    parser.add_argument("--runs", type=int, default=20, help="runs of a kernel with something taken out")
    parser.add_argument("--unedited", type=int, default=200, help="runs of a kernel as it is")
    parser.add_argument("--rounds", type=int, default=1000, help="launches in a row without a host barrier")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write the results")
    options = parser.parse_args()
    begun = time.perf_counter()
    results = []
    with get_context("spawn").Pool(WORKERS) as pool:
        for result in pool.imap(work, list(tasks(options))):
            results.append(result)
            verdict = "" if result.right else "  WRONG"
            figure = f"{result.value:g} of {result.of:g}{' s' * (result.what == 'compile')}"
            print(
                f"{result.schedule:<30} {result.what:<10} {figure:<14} {result.part}  {result.said}{verdict}",
                flush=True,
            )
    wrong = sum(not r.right for r in results)
    seconds = round(time.perf_counter() - begun)
    _write(options.results, results, seconds)
    out = [r for r in results if r.what == "taken out"]
    compiles = {v.name: max(r.value for r in results if r.what == "compile" and r.part == v.name) for v in VARIANTS}
    print(
        f"{len(shipped())} schedules; {sum(r.right for r in out)} of {len(out)} removals found in every run; ", end=""
    )
    print(f"slowest compile {', '.join(f'{n} {s:g} s' for n, s in compiles.items())}; {wrong} wrong; {seconds} s")
    return 1 if wrong else 0


def _write(path: Path, results: list[Result], seconds: int) -> None:
    environment = {
        "compiler": compiler().version,
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "ordered": " ".join(ORDERED.flags),
        "seconds": seconds,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "command": "python benchmarks/ascendc.py",
        "environment": environment,
        "results": [asdict(r) for r in results],
    }
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
