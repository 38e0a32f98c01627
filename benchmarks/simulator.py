"""Measures the CPU engine on the hand-written pipelined kernel: operations a second, and one large checked launch.

    python benchmarks/simulator.py [--kernel generated/reverse_all2all/mte_pipelined]

An operation is a load, store, wait, notify, fence, put or barrier of one core. Set-up, data, reference and comparison
count as well. The best of several runs is what the machine can do; the median shows how busy it was.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from a2agen.engines.cpu import Exchange, Program, Tensor, simulate

HANDWRITTEN = Path(__file__).parent.parent / "tests" / "engines" / "cpu" / "handwritten"
REVERSE = Exchange(
    "W",
    ("S", "H", "D"),
    Tensor("A", "bf16", (("to", "S"), ("H",), ("D",))),
    Tensor("C", "bf16", (("S",), ("from", "H"), ("D",))),
)
RUNS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", type=Path, default=HANDWRITTEN, help="folder of kernel.py and launcher.py")
    parser.add_argument("--large", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.large:
        large(options.kernel)
        return
    for checked, wanted in ((False, 60_000), (True, 30_000)):
        rates: list[float] = []
        work: list[float] = []
        for run in range(RUNS):
            begun = time.process_time()
            outcome = simulate(
                taller(options.kernel),
                {"W": 8, "S": 64, "H": 8, "D": 256},
                cores=16,
                launches=1,
                checked=checked,
                seed=2 * run,
            )
            assert outcome.verified, outcome
            rates.append(outcome.operations / outcome.seconds)
            work.append(outcome.operations / (time.process_time() - begun))
        kind = "checked" if checked else "unchecked"
        print(
            f"8 ranks x 16 cores, tiles 16x256, {kind}: best {max(rates):,.0f} operations/s, "
            f"median {statistics.median(rates):,.0f} (wanted: {wanted:,}); best {max(work):,.0f} a second of CPU time"
        )
    # A process of its own, for its memory.
    subprocess.run([sys.executable, __file__, "--large", "--kernel", str(options.kernel)], check=True)


def large(kernel: Path) -> None:
    """One checked launch of 8 ranks with 48 cores each."""
    outcome = simulate(program(kernel), {"W": 8, "S": 16, "H": 8, "D": 7168}, cores=48, launches=1)
    assert outcome.verified, outcome
    used = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"8 ranks x 48 cores, S=16 H=8 D=7168, tiles 8x256, checked: {outcome.seconds:.1f} s (wanted: 12), "
        f"{used:.1f} s of CPU time, {peak:.2f} GiB (wanted: 1.5), {outcome.operations:,} operations"
    )


def program(folder: Path) -> Program:
    """A kernel and its launcher as they are."""
    kernel, launcher = folder / "kernel.py", folder / "launcher.py"
    return Program(kernel.read_text(), str(kernel), launcher.read_text(), str(launcher), REVERSE)


def taller(folder: Path) -> Program:
    """The same with blocks and tiles of 16 rows, for the hand-written one."""
    found = program(folder)
    if folder != HANDWRITTEN:
        return found
    kernel = found.kernel.replace("BLOCK_S: tl.constexpr = 8", "BLOCK_S: tl.constexpr = 16")
    kernel = kernel.replace("TILE_S: tl.constexpr = 8", "TILE_S: tl.constexpr = 16")
    launcher = found.launcher.replace("2 * 8 * W", "2 * 16 * W")
    return Program(kernel, found.kernel_path, launcher, found.launcher_path, REVERSE)


if __name__ == "__main__":
    main()
