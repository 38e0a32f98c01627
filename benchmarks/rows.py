"""Every sound combination of `ready`, `free` and `rounds`, on every target, as an emitted kernel on the CPU engine.

`python benchmarks/rows.py [--interleavings N] [--most N] [--result FILE]`, two processes. Six launches in a row,
without host synchronisation but what `rounds` stands for, other data in each, all checks on: in one shape; in shapes
that change over one workspace, as far as the rows of the combination allow; and, where they do not allow every
change, in shapes that go too far, N times at most until that is found. One line for each combination, and a table by
row. Exit 1 where a combination is not as safe as the table says, where a row lacks a combination on some target, or
where no rank was ever ahead of another.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from a2agen.passes.protocol.table import Row
from a2agen.passes.shapes import change
from tests.engines.cpu import rows

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "benchmarks" / "results" / "rows.txt"
WORKERS = 2


@dataclass(frozen=True, slots=True)
class Line:
    """What came of a combination, None where it is not sound."""

    name: str
    free: str
    rows: tuple[str, ...]
    right: bool
    lead: int
    interleavings: int
    found: tuple[int, tuple[str, ...]] | None
    wrong: str


def work(name: str, interleavings: int, most: int) -> Line | None:
    combination = rows.named(name)
    if combination is None:
        return None
    verdict = rows.run(combination, interleavings, most)
    outcomes = [o for o in (verdict.one, verdict.allowed) if o is not None]
    wrong = [o.error or ", ".join(dict.fromkeys(f.kind for f in o.findings)) for o in outcomes if not o.verified]
    return Line(
        name=name,
        free=change(combination.schedule),
        rows=tuple(map(rows.described, combination.rows)),
        right=verdict.right,
        lead=max(o.lead for o in outcomes),
        interleavings=sum(o.interleavings for o in outcomes),
        found=verdict.found,
        wrong="; ".join(wrong),
    )


def said(line: Line) -> str:
    """A combination's line: what may change, and what was found of a change too far."""
    found = "-" if line.found is None else f"{', '.join(line.found[1]) or 'NOTHING'} ({line.found[0]})"
    fault = "" if line.right else f"  FAULT {line.wrong}"
    return f"{line.name:<100} {line.free:<12} {line.lead:>4}  {found}{fault}"


def by_row(row: Row, lines: list[Line]) -> str:
    counts = defaultdict(int)
    for line in lines:
        if rows.described(row) in line.rows:
            counts[line.name.split(" ")[0]] += 1
    each = " ".join(f"{counts[target]:>12}" for target in rows.TARGETS)
    return f"{each}  {row.protocol.name}: {rows.described(row)}"


def complete(lines: list[Line]) -> bool:
    """Whether every row was there on every target, and ranks drifted."""
    met = {(line.name.split(" ")[0], row) for line in lines for row in line.rows}
    wanted = {
        (target, rows.described(row)) for target in rows.TARGETS for row in rows.wanted() if rows.there(target, row)
    }
    return wanted <= met and all(line.lead >= 1 for line in lines)


def report(lines: list[Line], options: argparse.Namespace, seconds: float) -> Iterator[str]:
    faults = sum(not line.right for line in lines)
    runs = sum(line.interleavings for line in lines)
    refused = [line for line in lines if line.found is not None]
    yield f"python benchmarks/rows.py --interleavings {options.interleavings} --most {options.most}"
    yield f"Python {platform.python_version()}, {os.cpu_count()} cores, {seconds:.0f} s"
    yield ""
    yield (
        f"{len(lines)} combinations, {runs} interleavings of {rows.LAUNCHES} launches: {faults} at fault. "
        f"{len(refused)} do not allow every change of shapes: "
        f"{sum(bool(line.found and line.found[1]) for line in refused)} found where one goes too far."
    )
    yield (
        "Every row on every target that has it, ranks adrift in each."
        if complete(lines)
        else "INCOMPLETE: a row or drift is missing."
    )
    yield ""
    yield (
        " ".join(f"{target:>12}" for target in rows.TARGETS)
        + "  combinations by row: protocol, ready | free | rounds | place"
    )
    yield from (by_row(row, lines) for row in rows.wanted())
    yield ""
    yield f"{'combination':<100} {'may change':<12} lead  change too far: found as (interleavings)"
    yield from map(said, lines)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run every row of the launch-protocol table.")
    parser.add_argument("--interleavings", type=int, default=4, help="in one shape, and as many in shapes that change")
    parser.add_argument("--most", type=int, default=50, help="at most so many until a change too far is found")
    parser.add_argument("--result", type=Path, default=None, help=f"write the report to a file, as {RESULT.name} is")
    options = parser.parse_args()
    begun = time.perf_counter()
    lines: list[Line] = []
    with get_context("spawn").Pool(WORKERS) as pool:
        todo = partial(work, interleavings=options.interleavings, most=options.most)
        for line in pool.imap(todo, [name for name, _ in rows.texts()], chunksize=4):
            if line is not None:
                lines.append(line)
                print(said(line), flush=True)
    text = "\n".join(report(lines, options, time.perf_counter() - begun)) + "\n"
    print("\n" + text.partition("\ncombination ")[0])
    if options.result is not None:
        options.result.write_text(text, encoding="utf-8")
    return 0 if complete(lines) and all(line.right for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
