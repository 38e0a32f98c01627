"""Takes each synchronisation operation out of each generated kernel: the simulator must notice.

`python benchmarks/kernels.py [--interleavings N] [--unedited N] [SPEC…]`, two processes. One line for each operation:
kernel, operation, its line, the kinds of findings, and how many interleavings it took until one came. Exit 1 when an
operation was not missed within N interleavings (50 by default), or an unedited kernel is reported in as many as
`--unedited` says (200). Operations that are there though a kernel is right without them are SPARE: those must not be
missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
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
# The kernel, the lines from that of the operation on, and why the memory model can do without it.
SPARE = (
    (
        "*",
        ("send_ready = dl.consume_token(send_ready, admitted)",),
        "a core's notifies come after all waits before them, whatever goes through a token",
    ),
    (
        "all2all/put",
        ("tl.debug_barrier()", "tl.store(epochs + pid * 16, epoch)"),
        "one of the barriers in the loops before has all that read the number behind it",
    ),
)


@dataclass(frozen=True, slots=True)
class Job:
    """A kernel, and the number of the operation that is taken out of it; None for the kernel as it is.

    `ways` are the schedules that have the kernel: one for each link that a launcher chooses from.
    """

    spec: str
    ways: tuple[int, ...]
    name: str
    number: int | None
    operation: str
    line: int
    most: int
    spare: bool = False


@lru_cache
def load(spec: str) -> tuple[tuple[Schedule, Program], ...]:
    """The schedules of a spec with the kernels and launchers that they compile to."""
    source = Source(spec, Path(spec).read_text(encoding="utf-8"))
    checked = check(source)
    sound = (s for s in checked.schedules if checked.sound(s) and s.emit == "triton_dist")
    return tuple((s, program_of(checked, s)) for s in sound)


def jobs(specs: list[str], most: int, unedited: int) -> Iterator[Job]:
    for spec in specs:
        kernels: dict[str, list[int]] = {}
        for index, (schedule, _) in enumerate(load(spec)):
            kernels.setdefault(f"{schedule.exchange.name}/{schedule.declared}", []).append(index)
        for name, ways in kernels.items():
            kernel = load(spec)[ways[0]][1].kernel
            if (ROOT / "generated" / name / "kernel.py").read_text(encoding="utf-8") != kernel:
                sys.exit(f"generated/{name}/kernel.py is not what {spec} compiles to; run: a2agen compile {spec}")
            if unedited:
                yield from (Job(spec, (way,), name, None, "(unedited)", 0, unedited) for way in ways)
            for number, removal in enumerate(removals(kernel)):
                spare = is_spare(name, kernel, removal.line)
                yield Job(spec, tuple(ways), name, number, removal.operation, removal.line, most, spare)


def is_spare(name: str, kernel: str, line: int) -> bool:
    behind = [text.strip() for text in kernel.splitlines()[line - 1 :]]
    return any(fnmatch(name, of) and tuple(behind[: len(lines)]) == lines for of, lines, _ in SPARE)


def work(job: Job) -> tuple[Job, Verdict]:
    """What the first way says that reports a kernel, or the last."""
    for way in job.ways:
        schedule, program = load(job.spec)[way]
        kernel = program.kernel if job.number is None else removals(program.kernel)[job.number].text
        verdict = search(program, schedule, kernel, most=job.most, whole=job.number is None)
        if verdict.reported:
            break
    return job, verdict


def is_miss(job: Job, verdict: Verdict) -> bool:
    """An edited kernel must be reported, and not because it cannot run; one that is right must not."""
    return verdict.error is not None or verdict.reported == (job.number is None or job.spare)


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
            if job.number is not None and not missed and not job.spare:
                needed[verdict.interleavings] += 1
            said = verdict.error or ", ".join(verdict.kinds) or "nothing"
            mark = "  MISS" if missed else "  (spare)" if job.spare else ""
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
