"""10,000 sound specs, 10,000 broken ones, and specs that one rule alone refuses, range by range.

`python benchmarks/sweep.py [KIND] [--seed K] [--count N] [--workers N]`, KIND one of the following, or all of them:

sound    each lints clean or is refused by well-formed findings; what is clean is compiled, and what is emitted must be
         right in the simulator: 2 interleavings, 3 launches in a row
broken   no exception, no hang, bounded memory, findings in their places
refused  rules 4xx, 5xx and 6xx: a spec that just one of them refuses is checked without it, emitted and simulated, and
         must misbehave

A range of 250 seeds is done by a process of its own, with an address space of 2 GiB. Its sums go to
`benchmarks/results/sweep_KIND.json` when it is done; a range that is there is not done again, unless its row is taken
out. In the end `benchmarks/results/sweep.md` is written from all rows. Exit 1 for any fault.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.fuzz.sweeps import KINDS, Kind, Range, do_range
from tests.fuzz.sweeps_text import summary

RESULTS = Path(__file__).parent / "results"
STEP = 250


def rows_of(kind: Kind) -> list[dict[str, Any]]:
    path = RESULTS / f"sweep_{kind}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def keep(kind: Kind, done: Range) -> None:
    """Add the row of a range, in the order of seeds."""
    rows = sorted([*rows_of(kind), done.row()], key=lambda row: row["seed"])
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"sweep_{kind}.json"
    text = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    half = path.with_suffix(".half")
    half.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    half.replace(path)


def commit() -> str:
    """What is checked out, with a + where files differ from it."""
    at = subprocess.run(["git", "describe", "--always", "--dirty=+"], capture_output=True, text=True, check=False)
    return at.stdout.strip()


Job = tuple[Kind, int, int, str]


def work(job: Job) -> Range:
    return do_range(*job)


def main() -> int:
    parser = argparse.ArgumentParser(description="Sweep over random specs.")
    parser.add_argument("kind", choices=KINDS, nargs="?")
    parser.add_argument("--seed", type=int, default=0, help="of the first spec")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    end = options.seed + options.count
    faults = 0
    for kind in (options.kind,) if options.kind else KINDS:
        known = {row["seed"] for row in rows_of(kind)}
        jobs = [(kind, s, min(STEP, end - s), commit()) for s in range(options.seed, end, STEP) if s not in known]
        faults += sweep(kind, jobs, options.workers)
    (RESULTS / "sweep.md").write_text(summary({kind: rows_of(kind) for kind in KINDS}), encoding="utf-8")
    return 1 if faults else 0


def sweep(kind: Kind, jobs: list[Job], workers: int) -> int:
    """Do ranges, and keep each when it is done; how many faults there were."""
    faults = 0
    with get_context("spawn").Pool(workers, maxtasksperchild=1) as pool:
        for done in pool.imap_unordered(work, jobs, chunksize=1):
            keep(kind, done)
            faults += len(done.faults)
            print(f"{done.kind} {done.seed}: {done.seconds} s, {done.peak_mib} MiB", flush=True)
            print("".join(f"  {fault}\n" for fault in done.faults), end="", flush=True)
    return faults


if __name__ == "__main__":
    sys.exit(main())
