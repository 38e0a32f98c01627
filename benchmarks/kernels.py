"""Takes each synchronisation operation out of each generated kernel: the simulator must notice.

`python benchmarks/kernels.py [--interleavings N] [--unedited N] [SPEC…]`, two processes. One line for each operation:
kernel, operation, its line, the kinds of findings, and how many interleavings it took until one came. Exit 1 when an
operation was not missed within N interleavings (50 by default), or an unedited kernel is reported in as many as
`--unedited` says (200).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.source import Source
from tests.fuzz.removals import Verdict, removals, search

ROOT = Path(__file__).resolve().parent.parent
WORKERS = 2


@dataclass(frozen=True, slots=True)
class Job:
    """A kernel, and the number of the operation that is taken out of it; None for the kernel as it is."""

    spec: str
    schedule: int
    name: str
    number: int | None
    operation: str
    line: int
    most: int


@lru_cache
def load(spec: str) -> tuple[tuple[Schedule, Program], ...]:
    """The schedules of a spec with the kernels and launchers that they compile to."""
    source = Source(spec, Path(spec).read_text(encoding="utf-8"))
    checked = check(source)
    sound = (s for s in checked.schedules if checked.sound(s) and s.emit == "triton_dist")
    return tuple((s, program_of(checked, s)) for s in sound)


def jobs(specs: list[str], most: int, unedited: int) -> Iterator[Job]:
    for spec in specs:
        for index, (schedule, program) in enumerate(load(spec)):
            name = f"{schedule.exchange.name}/{schedule.name}"
            if (ROOT / "generated" / name / "kernel.py").read_text(encoding="utf-8") != program.kernel:
                sys.exit(f"generated/{name}/kernel.py is not what {spec} compiles to; run: a2agen compile {spec}")
            if unedited:
                yield Job(spec, index, name, None, "(unedited)", 0, unedited)
            for number, removal in enumerate(removals(program.kernel)):
                yield Job(spec, index, name, number, removal.operation, removal.line, most)


def work(job: Job) -> tuple[Job, Verdict]:
    schedule, program = load(job.spec)[job.schedule]
    kernel = program.kernel if job.number is None else removals(program.kernel)[job.number].text
    return job, search(program, schedule, kernel, most=job.most, whole=job.number is None)


def is_miss(job: Job, verdict: Verdict) -> bool:
    """An edited kernel must be reported, and not because it cannot run; an unedited one must not."""
    return verdict.error is not None or verdict.reported == (job.number is None)


def main() -> int:
    parser = argparse.ArgumentParser(description="Take synchronisation out of the generated kernels.")
    parser.add_argument("specs", nargs="*", metavar="SPEC", help="default: all under specs/")
    parser.add_argument("--interleavings", type=int, default=50, help="at most so many for an edited kernel")
    parser.add_argument("--unedited", type=int, default=200, help="so many for a kernel as it is; 0 leaves it out")
    options = parser.parse_args()
    begun = time.perf_counter()
    specs = options.specs or sorted(str(path.relative_to(ROOT)) for path in (ROOT / "specs").glob("*.a2a"))
    misses = 0
    needed: Counter[int] = Counter()
    print(f"{'kernel':<36} {'operation':<14} {'line':>4} {'interleavings':>13}  kinds reported")
    with get_context("spawn").Pool(WORKERS) as pool:
        for job, verdict in pool.imap(work, list(jobs(specs, options.interleavings, options.unedited))):
            missed = is_miss(job, verdict)
            misses += missed
            if job.number is not None and not missed:
                needed[verdict.interleavings] += 1
            said = verdict.error or ", ".join(verdict.kinds) or "nothing"
            mark = "  MISS" if missed else ""
            line = job.line or "-"
            print(f"{job.name:<36} {job.operation:<14} {line:>4} {verdict.interleavings:>13}  {said}{mark}", flush=True)
    worst = max(needed, default=0)
    print(
        f"{sum(needed.values())} removals reported, within {worst} interleavings (aim: {options.interleavings}); "
        f"{misses} misses; {time.perf_counter() - begun:.0f} s"
    )
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
