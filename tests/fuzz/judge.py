"""What must hold for any text that somebody calls a spec, and for any kernel that comes of one."""

from __future__ import annotations

import json
import re
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from a2agen.emit.compile import compile_spec
from a2agen.emit.unsupported import unsupported
from a2agen.findings import Finding, Severity, fails
from a2agen.grammar.read import read
from a2agen.ir.model import Schedule
from a2agen.passes.check import Checked, check
from a2agen.passes.rules.registry import rule
from a2agen.render import Listing
from a2agen.render import json as as_json
from a2agen.render import text as as_text
from a2agen.source import Source
from tests.fuzz.running import program, run
from tests.fuzz.shapes import few_tasks

# Of processor time, for a text of ordinary size; what is longer may take longer, in proportion.
SECONDS = 2.0
ORDINARY_BYTES = 200_000
SIMULATION_SECONDS = 120.0
LAUNCHES = 3


class TooLong(BaseException):
    """Not an Exception, so that no handler of the code under test takes it for its own."""


@dataclass(slots=True)
class Judged:
    """What came of a text. `faults` are those of the tool, not of the text.

    `emitted` and `refused` count schedules that became kernels, and those that no back end emits yet; `simulated` has
    for each simulated one the kinds of its findings, joined, or "right".
    """

    codes: tuple[str, ...] = ()
    clean: bool = False
    emitted: int = 0
    refused: int = 0
    unsimulated: int = 0
    unbuilt: int = 0
    simulated: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raises TooLong in the block after so many seconds of processor time."""

    def ring(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judge(path: Path, interleavings: int, seed: int = 0, ascendc: bool = True) -> Judged:
    """Check the file, compile it where it is clean, and simulate what was emitted in so many interleavings.

    They have the seeds from `seed` on, which also say what small shapes are taken. Without `ascendc`, kernels in
    Ascend C are not built, which takes seconds for each.
    """
    judged = Judged()
    allowed = SECONDS * max(1.0, path.stat().st_size / ORDINARY_BYTES)
    begun = time.process_time()
    checked = None
    try:
        with limit(allowed):
            checked = _check(path, judged)
            if checked is not None:
                files, refused = compile_spec(checked, checked.source)
                judged.emitted = sum(name.endswith("/manifest.json") for name in files)
                judged.refused = len({f.span for f in refused})
                judged.faults += malformed(refused, checked.source)
                judged.faults += [f"{name} does not compile" for name, text in files.items() if _broken(name, text)]
    except TooLong:
        judged.faults.append(f"not done within {allowed:g} s")
    except Exception:
        judged.faults.append(traceback.format_exc())
    judged.seconds = time.process_time() - begun
    if checked is not None and not judged.faults and interleavings:
        for schedule in checked.schedules:
            if schedule.emit == "ascendc" and not ascendc:
                judged.unbuilt += not unsupported(schedule, checked.source)
                continue
            _simulate(checked, schedule, judged, interleavings, seed)
    return judged


def _check(path: Path, judged: Judged) -> Checked | None:
    """The checked spec where it is clean; its findings are well formed and can be shown in all formats."""
    source = read(str(path))
    if isinstance(source, Finding):
        findings: tuple[Finding, ...] = (source,)
        checked = None
    else:
        checked = check(source)
        findings = checked.findings
    judged.codes = tuple(sorted({f.code for f in findings if f.severity is not Severity.ADVICE}))
    judged.clean = not fails(findings)
    judged.faults += malformed(findings, source if isinstance(source, Source) else None)
    listing = Listing(findings, {str(path): source} if isinstance(source, Source) else {}, False)
    as_text.render(listing)
    shown = json.loads(as_json.render(listing))
    if [f["code"] for f in shown["findings"]] != [f.code for f in findings]:
        judged.faults.append("JSON has other findings than text")
    return checked if checked is not None and judged.clean else None


def malformed(findings: tuple[Finding, ...], source: Source | None) -> list[str]:
    """What is wrong with findings: unknown codes, places outside the text, empty messages, order, repeats."""
    out = []
    lines = re.split(r"\r\n|\r|\n", source.text) if source is not None else None
    for f in findings:
        s = f.span
        if rule(f.code) is None:
            out.append(f"{f.code} is no rule")
        if not f.message.strip() or "\n" in f.message or f.help == "":
            out.append(f"{f.code} has no message, or one of several lines: {f.message!r}")
        if (s.end_line, s.end_column) < (s.line, s.column) or s.line < 1 or s.column < 1:
            out.append(f"{f.code} lies at {s}")
        if lines is not None and (
            s.end_line > len(lines)
            or s.column > len(lines[s.line - 1]) + 1
            or s.end_column > len(lines[s.end_line - 1]) + 1
        ):
            out.append(f"{f.code} lies outside the text, at {s}")
    keys = [f.sort_key for f in findings]
    if keys != sorted(keys):
        out.append("findings are not in order")
    if len(set(findings)) != len(findings):
        out.append("a finding comes twice")
    return out


def _broken(name: str, text: str) -> bool:
    """Whether a generated text is no JSON or no Python; C++ is for the engine's compiler."""
    try:
        if name.endswith(".json"):
            json.loads(text)
        elif name.endswith(".py"):
            compile(text, name, "exec")
    except (SyntaxError, ValueError):
        return True
    return False


def _simulate(checked: Checked, schedule: Schedule, judged: Judged, interleavings: int, seed: int) -> None:
    if unsupported(schedule, checked.source):
        return
    try:
        with limit(SIMULATION_SECONDS):
            setups = few_tasks(schedule)
            if not setups:
                judged.unsimulated += 1
                return
            made = program(checked, schedule)
            outcome = run(made, setups, launches=LAUNCHES, interleavings=interleavings, seed=seed)
    except TooLong:
        judged.faults.append(f"{schedule.name}: not simulated within {SIMULATION_SECONDS:g} s")
        return
    except Exception:
        judged.faults.append(f"{schedule.name}: {traceback.format_exc()}")
        return
    kinds = " ".join(sorted({f.kind for f in outcome.findings})) or ("right" if outcome.verified else "wrong")
    judged.simulated.append("error" if outcome.error else kinds)
    if not outcome.verified:
        what = outcome.error or "; ".join(
            f"{f.kind} line {f.line}: {f.text} at {f.shape}, {f.cores} cores, seed {f.seed}"
            for f in outcome.findings[:3]
        )
        judged.faults.append(f"{schedule.name}: lint is clean, simulation is not: {what}")
