"""Wall time of whole processes, median of five: `python benchmarks/startup.py [SPEC]`.

Aims: 0.20 s for --help, 0.40 s for lint of one spec.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 5


def median_seconds(arguments: list[str]) -> float:
    """Median wall time of the command; the first run, which fills caches, is not counted."""
    # As on a user's machine, where the first run leaves its bytecode behind.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "a2agen.cli", *arguments]
    times = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        times.append(time.perf_counter() - start)
        if done.returncode == 2:
            sys.exit(done.stderr.decode())
    return statistics.median(times[1:])


def main() -> None:
    specs = sys.argv[1:2] or sorted(map(str, Path("specs").glob("*.a2a")))[:1]
    for arguments, aim in ((["--help"], 0.20), (["lint", *specs], 0.40)):
        print(f"a2agen {' '.join(arguments)}: {median_seconds(arguments):.3f} s (aim: {aim:.2f} s)")


if __name__ == "__main__":
    main()
