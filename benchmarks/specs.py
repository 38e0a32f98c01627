"""Random specs, sound, reworded and spoilt: checked, compiled, simulated, and some given to the command line.

`python benchmarks/specs.py [--count N] [--seed K] [--interleavings N] [--keep FOLDER]`, two processes. Of ten specs
four are written to be sound, three have clauses changed for others that the grammar allows, three have their text
spoilt. For each: no exception, no more than 2 s of processor time, well-formed findings. What is clean is compiled,
and what is emitted must be right in the simulator. One in twenty also goes through `a2agen lint` as a process of
its own, which must end with 0 or 1 and valid JSON. Exit 1 for any fault; `--keep` leaves the specs at fault in a
folder.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tests.fuzz.judge import SECONDS, Judged, judge
from tests.fuzz.sweeps import by_command
from tests.fuzz.texts import KINDS, kind_of, text_of

WORKERS = 2
# One spec of so many goes through a process of its own.
PROCESS_OF = 20


@dataclass(slots=True)
class Totals:
    """Sums over the specs of one kind."""

    specs: int = 0
    clean: int = 0
    emitted: int = 0
    not_emitted: int = 0
    right: int = 0
    too_large: int = 0
    faults: int = 0
    slowest: float = 0.0

    def add(self, judged: Judged) -> None:
        self.specs += 1
        self.clean += judged.clean
        self.emitted += judged.emitted
        self.not_emitted += judged.refused
        self.right += judged.simulated.count("right")
        self.too_large += judged.unsimulated
        self.faults += bool(judged.faults)
        self.slowest = max(self.slowest, judged.seconds)

    def row(self, kind: str) -> str:
        numbers = (self.specs, self.clean, self.emitted, self.not_emitted, self.right, self.too_large, self.faults)
        return f"{kind:<10}" + "".join(f"{n:>13}" for n in numbers) + f"{self.slowest:>11.2f} s"


def work(seed: int, folder: Path, interleavings: int) -> tuple[int, Judged]:
    path = folder / f"{seed}.a2a"
    path.write_bytes(text_of(seed))
    judged = judge(path, interleavings)
    if seed % PROCESS_OF == 0:
        judged.faults += by_command(path, judged)
    return seed, judged


def main() -> int:
    parser = argparse.ArgumentParser(description="Check, compile and simulate random specs.")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="of the first spec")
    parser.add_argument("--interleavings", type=int, default=3, help="of each simulation; 0 leaves them out")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="for the specs at fault")
    options = parser.parse_args()
    begun = time.perf_counter()
    totals = {kind: Totals() for kind in KINDS}
    codes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, get_context("spawn").Pool(WORKERS) as pool:
        job = partial(work, folder=Path(folder), interleavings=options.interleavings)
        for seed, judged in pool.imap(job, range(options.seed, options.seed + options.count)):
            totals[kind_of(seed)].add(judged)
            codes.update(judged.codes)
            for fault in judged.faults:
                print(f"seed {seed}: {fault}", flush=True)
            if judged.faults and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{seed}.a2a").write_bytes(text_of(seed))
    heads = ("specs", "clean", "emitted", "not emitted", "right", "too large", "at fault", "slowest")
    print(f"{'':<10}" + "".join(f"{head:>13}" for head in heads))
    for kind, total in totals.items():
        print(total.row(kind))
    print("specs refused, by code: " + ", ".join(f"{code} {n}" for code, n in sorted(codes.items())))
    faults = sum(total.faults for total in totals.values())
    print(
        f"{faults} of {options.count} specs at fault (limit: {SECONDS:g} s each); {time.perf_counter() - begun:.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
