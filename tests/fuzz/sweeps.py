"""Sweeps over ranges of seeds: what each of the three asks of a spec, and the sums of a range."""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from a2agen.passes.check import check
from a2agen.source import Source
from tests.fuzz.broken import broken
from tests.fuzz.faults import changed
from tests.fuzz.judge import Judged, judge
from tests.fuzz.switched_off import attempt, refused_by
from tests.fuzz.writer import spec

Kind = Literal["sound", "broken", "refused"]
KINDS: tuple[Kind, ...] = ("sound", "broken", "refused")
# One spec of so many goes through `a2agen lint` as a process of its own.
PROCESS_OF = 100
# Kernels in Ascend C are built and simulated for one seed of so many.
BUILT_OF = 8
# Address space of the process that does a range: what asks for more fails there.
MOST_BYTES = 2 << 30
INTERLEAVINGS = {"sound": 2, "broken": 0, "refused": 24}


@dataclass(slots=True)
class Range:
    """The sums of the specs of a range of seeds.

    `digest` is of all their texts. `codes` counts specs by the codes of their errors and warnings, `trials` (of the
    sweep `refused`) by the code and the verdict. `peak_mib` is the most memory that the range's process held.
    """

    kind: Kind
    seed: int
    count: int
    commit: str
    digest: str = ""
    clean: int = 0
    emitted: int = 0
    not_emitted: int = 0
    right: int = 0
    unsimulated: int = 0
    unbuilt: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    trials: dict[str, Counter[str]] = field(default_factory=dict)
    harmless: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0
    slowest_seed: int = 0
    seconds: float = 0.0
    peak_mib: int = 0

    def row(self) -> dict[str, Any]:
        """The range as JSON has it."""
        names = [name for name in Range.__dataclass_fields__ if getattr(self, name) or name in ("seed", "clean")]
        return {name: getattr(self, name) for name in names}


def do_range(kind: Kind, seed: int, count: int, commit: str) -> Range:
    """Do a range in this process, which can't ask for more than MOST_BYTES from then on where specs are broken: the
    engine of Ascend C reserves more address space for its ranks."""
    if kind == "broken":
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    done = Range(kind, seed, count, commit)
    digest = hashlib.sha256()
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            path = Path(folder) / f"{number}.a2a"
            text = TEXTS[kind](number)
            digest.update(text)
            path.write_bytes(text)
            started = time.process_time()
            (_refused if kind == "refused" else _judged)(path, number, done)
            took = time.process_time() - started
            if took > done.slowest:
                done.slowest, done.slowest_seed = round(took, 2), number
            path.unlink()
    done.digest = digest.hexdigest()[:16]
    done.seconds = round(time.process_time() - begun, 1)
    done.peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return done


TEXTS: dict[Kind, Callable[[int], bytes]] = {
    "sound": lambda seed: spec(seed).encode(),
    "broken": broken,
    "refused": lambda seed: changed(seed).text().encode(),
}


def _judged(path: Path, seed: int, done: Range) -> None:
    interleavings = INTERLEAVINGS[done.kind]
    judged = judge(path, interleavings, seed=seed * interleavings, ascendc=seed % BUILT_OF == 0)
    if seed % PROCESS_OF == 0:
        judged.faults += by_command(path, judged)
    done.clean += judged.clean
    done.emitted += judged.emitted
    done.not_emitted += judged.refused
    done.right += judged.simulated.count("right")
    done.unsimulated += judged.unsimulated
    done.unbuilt += judged.unbuilt
    done.codes.update(judged.codes)
    done.faults += [f"seed {seed}: {fault}" for fault in judged.faults]


def _refused(path: Path, seed: int, done: Range) -> None:
    source = Source(path.name, path.read_text(encoding="utf-8"))
    checked = check(source)
    code = refused_by(checked)
    done.clean += not any(f.code[1] in "123456" for f in checked.findings)
    if code is None:
        return
    try:
        tried = attempt(source, code, INTERLEAVINGS["refused"])
    except Exception as failure:  # an engine that fails is a fault of its own, and the sweep goes on
        done.faults.append(f"seed {seed}: {code}: {type(failure).__name__}: {failure}")
        return
    done.trials.setdefault(code, Counter())[tried.verdict] += 1
    if not tried.misbehaves:
        done.harmless.append(f"seed {seed}: {code} {tried.verdict}: {tried.detail[:120]}")


def by_command(path: Path, judged: Judged) -> list[str]:
    """What is wrong with `a2agen lint` of a file, given what the checks made of it."""
    command = [sys.executable, "-m", "a2agen.cli", "lint", "--format", "json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != (0 if judged.clean else 1):
        return [f"lint ends with {done.returncode}: {done.stderr}"]
    try:
        found = {f["code"] for f in json.loads(done.stdout)["findings"] if f["severity"] != "advice"}
    except ValueError:
        return [f"lint prints no JSON: {done.stdout[:200]}"]
    if done.stderr or found != set(judged.codes):
        return [f"lint reports {sorted(found)}, the checks {judged.codes}; {done.stderr}"]
    return []
