"""One run of a built program: what it is told, and what it reports."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from a2agen.engines.cpu.errors import KernelError

SECONDS = 600


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory under the name of the kernel's argument: its axes with their extents, and the bytes from one element of
    the last to the next."""

    name: str
    step: int
    axes: tuple[tuple[str, int], ...] = ()
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class Machine:
    """What the engine takes for granted of a machine; 0 leaves its own figure.

    `ring_slots` are those of a queue, `completions` what its completion queue holds, in entries; the rest is in bytes,
    but `barrier_cores`, the cores of a rank that a barrier has room for.
    """

    local_bytes: int = 0
    heap_bytes: int = 0
    ring_slots: int = 0
    completions: int = 0
    request_bytes: int = 0
    block_bytes: int = 0
    barrier_cores: int = 0


@dataclass(frozen=True, slots=True)
class Found:
    """A finding of a run; None is what is not known."""

    kind: str
    rank: int | None
    core: int | None
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """How a run ended: `complete` if every host came to its end; what each returned, and what was found."""

    complete: bool
    exits: tuple[int, ...]
    operations: int
    switches: int
    findings: tuple[Found, ...] = field(default=())
    said: str = ""


def run(
    program: Path,
    folder: Path,
    *,
    ranks: int,
    seed: int,
    checked: bool,
    arguments: Sequence[str],
    memories: Sequence[Memory] = (),
    machine: Machine | None = None,
    operations_most: int = 0,
) -> Report:
    """Run a program once, in the order of `seed`; `folder` takes what it is told and its report.

    A run of more than `operations_most` operations, unless that is 0, is a finding of the kind `endless`.
    Raises KernelError where it ends without a report, or does not end within ten minutes.
    """
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    settings: list[tuple[str, object]] = [
        ("report", report),
        ("seed", seed),
        ("ranks", ranks),
        ("checked", int(checked)),
    ]
    settings += [(name, value) for name, value in _figures(machine or Machine()).items() if value]
    if operations_most:
        settings.append(("operations_most", operations_most))
    for memory in memories:
        axes = " ".join(f"{axis.replace(' ', '_')} {extent}" for axis, extent in memory.axes)
        settings.append(("memory", f"{memory.name} {int(memory.flagged)} {memory.step} {axes}"))
    settings += [("argument", argument) for argument in arguments]
    config = folder / "config"
    config.write_text("".join(f"{name} {value}\n" for name, value in settings), encoding="utf-8")
    try:
        done = subprocess.run([str(program), str(config)], capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise KernelError(f"the program does not end within {SECONDS} s with seed {seed}") from None
    said = (done.stdout + done.stderr).strip()
    if done.returncode != 0 or not report.exists():
        raise KernelError(f"{ended(done.returncode)} and no report: {said or 'it says nothing'}")
    return _read(json.loads(report.read_text(encoding="utf-8")), said)


def ended(code: int) -> str:
    """How a program came to its end: by a signal, which a negative code is, or with a code of its own."""
    if code >= 0:
        return f"the program ends with {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"the program is ended by {name}"


def _figures(machine: Machine) -> Mapping[str, int]:
    names = ("local_bytes", "heap_bytes", "ring_slots", "completions", "request_bytes", "block_bytes", "barrier_cores")
    return {name: getattr(machine, name) for name in names}


def _read(record: dict[str, Any], said: str) -> Report:
    findings = tuple(Found(f["kind"], f["rank"], f["core"], f["line"], f["text"]) for f in record["findings"])
    counts = (record["operations"], record["switches"])
    return Report(record["complete"], tuple(record["exits"]), *counts, findings, said)
