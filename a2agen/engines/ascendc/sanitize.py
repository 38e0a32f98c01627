"""Runs a program on threads of the machine under a sanitizer: another view than the ordered engine's, with real races.

The stand-ins do at once what a core does asynchronously on chip, so this finds what goes wrong between cores, ranks and
the engine of puts, in accesses as the machine makes them; what it finds depends on the order of the threads.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from a2agen.engines.ascendc.process import ended
from a2agen.engines.cpu.errors import KernelError

SECONDS = 300
# What the sanitizers end a program with; the engine itself ends one that hangs with 3.
FOUND = 66
HANGS = 3
_SUMMARY = re.compile(r"^SUMMARY: \w+: (.*)$|^.*runtime error: (.*)$", re.MULTILINE)
_FRAME = re.compile(r"^\s*#\d+ .*?(kernel|host)\.cpp:(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run under a sanitizer gives: whether results were written, and what was reported, each once."""

    complete: bool
    reports: tuple[str, ...]
    lines: tuple[int, ...]
    said: str


def run(program: Path, folder: Path, *, ranks: int, seed: int, arguments: Sequence[str]) -> Verdict:
    """Run a program that was built for a sanitizer; `seed` gives delays. `lines` are those of the kernel in reports.

    Raises KernelError where it ends with anything but its host's 0 or 1, a report, or a wait that does not end.
    """
    config = folder / "config"
    settings = [("report", folder / "unused"), ("seed", seed), ("ranks", ranks)]
    lines = [f"{name} {value}\n" for name, value in (*settings, *(("argument", a) for a in arguments))]
    config.write_text("".join(lines), encoding="utf-8")
    options = f"exitcode={FOUND}"
    environment = {
        **os.environ,
        "TSAN_OPTIONS": options,
        "ASAN_OPTIONS": f"{options}:detect_leaks=0",
        "UBSAN_OPTIONS": f"{options}:print_stacktrace=1:halt_on_error=1",
    }
    try:
        done = subprocess.run(
            [str(program), str(config)], capture_output=True, text=True, check=False, timeout=SECONDS, env=environment
        )
    except subprocess.TimeoutExpired:
        raise KernelError(f"the program does not end within {SECONDS} s") from None
    said = (done.stdout + done.stderr).strip()
    reports = tuple(dict.fromkeys(first or second for first, second in _SUMMARY.findall(done.stderr)))
    at = tuple(dict.fromkeys(int(number) for file, number in _FRAME.findall(done.stderr) if file == "kernel"))
    if done.returncode == HANGS and "engine:" in done.stderr:
        (*_, last) = (line for line in done.stderr.splitlines() if line.startswith("engine:"))
        return Verdict(False, (*reports, last.removeprefix("engine: ")), at, said)
    if done.returncode not in (0, 1) and not reports:
        raise KernelError(f"{ended(done.returncode)}: {said or 'it says nothing'}")
    return Verdict(done.returncode in (0, FOUND), reports, at, said)
