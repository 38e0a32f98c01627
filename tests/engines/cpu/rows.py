"""Rows of the launch-protocol table as emitted kernels: every sound combination of the language, on every target.

A combination runs in one shape, and in shapes that change from launch to launch as far as its rows allow, launches back
to back. Where they do not allow every change, one that they do not allow must be found.

A combination that a back end lowers takes part by being among `texts`; `FAMILIES` says which rows are wanted at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import Outcome, simulate
from a2agen.engines.small import small_cores
from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.check import check
from a2agen.passes.lower.unlowered import unlowered
from a2agen.passes.protocol.table import TABLE, Row, phrase
from a2agen.passes.shapes import Change, change
from a2agen.source import Source
from tests.passes.lower import matrix

TARGETS = ("ascend910b", "ascend910c", "ascend950", "h200")
LAUNCHES = 6
# Of the rows that are no error, what announces by one of these is emitted.
FAMILIES = ("barrier", "notify")

Values = dict[str, int]
ONE: Values = {"W": 3, "S": 5, "H": 2, "D": 6}
# By what may change, the shapes that follow. Blocks are 2 S, tiles 2 S by 4 D: the second keeps the number of blocks,
# the third the size of a slab and the number of tiles.
ALLOWED: dict[Change, tuple[Values, ...]] = {
    "any": ({"W": 3, "S": 7, "H": 1, "D": 11}, {"W": 3, "S": 2, "H": 3, "D": 1}),
    "same words": ({"W": 3, "S": 6, "H": 1, "D": 11}, {"W": 3, "S": 5, "H": 3, "D": 1}),
    "fixed halves": ({"W": 3, "S": 5, "H": 4, "D": 3},),
    "one": (),
}
# And shapes that go too far.
REFUSED: dict[Change, tuple[Values, ...]] = {
    "any": (),
    "same words": ALLOWED["any"],
    "fixed halves": ALLOWED["any"],
    "one": ALLOWED["fixed halves"],
}


@dataclass(frozen=True, slots=True)
class Combination:
    """A sound schedule of one target, with the text that it is from."""

    name: str
    text: str
    schedule: Schedule

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows that govern what its phases announce."""
        moves = analysis.moves(self.schedule)
        announced = [analysis.row(self.schedule, p, m) for p, m in moves if analysis.announced(self.schedule, m)]
        return tuple(row for row in TABLE if row in announced)

    @property
    def program(self) -> Program:
        source = Source("swap.a2a", self.text)
        return program_of(check(source), self.schedule)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a combination: in one shape, in shapes that change as allowed, and in others.

    `found`: after how many interleavings a change too far was found, and the kinds; None where every change is allowed.
    """

    one: Outcome
    allowed: Outcome | None
    found: tuple[int, tuple[str, ...]] | None

    @property
    def right(self) -> bool:
        whole = self.one.verified and (self.allowed is None or self.allowed.verified)
        return whole and (self.found is None or bool(self.found[1]))


@cache
def _matrix() -> tuple[tuple[str, str], ...]:
    return tuple(matrix.texts())


def texts() -> Iterator[tuple[str, str]]:
    """Every combination with a name that begins with its target, sound or not."""
    for name, text in _matrix():
        target = next((t for t in TARGETS if f"target {t}\n" in text), "")
        yield name if name.startswith(target) else f"{target} {name}", text
        if target == "ascend910c":
            yield name.replace(target, "ascend910b"), text.replace(f"target {target}\n", "target ascend910b\n")
    for (ready, free), rounds, buffer in product(matrix.CLAUSES, matrix.ROUNDS, matrix.BUFFERS[1:]):
        name = f"ascend950 staged {buffer}: {ready}, {free}, {rounds}"
        yield name, matrix.staged("ascend950", ready, free, rounds, buffer)


@cache
def named(name: str) -> Combination | None:
    """The combination of that name, None where lint has something against it or it does not lower."""
    text = dict(texts())[name]
    checked = check(Source("swap.a2a", text))
    if any(f.severity is Severity.ERROR for f in checked.findings):
        return None
    return next((Combination(name, text, s) for s in checked.schedules if not unlowered(s)), None)


def sound() -> Iterator[Combination]:
    """The combinations that lint has nothing against and that lower."""
    return (found for name, _ in texts() if (found := named(name)) is not None)


def first(target: str, row: Row) -> Combination | None:
    """A combination of that target that the row governs, the row alone if there is one."""
    of_target = (named(name) for name, _ in texts() if name.startswith(target))
    governed = [c for c in of_target if c is not None and row in c.rows]
    return min(governed, key=lambda c: len(c.rows), default=None)


def run(combination: Combination, interleavings: int, most: int) -> Verdict:
    """Simulate a combination with all checks; a change too far `most` times at most."""
    program = combination.program
    cores = small_cores(combination.schedule, ONE["W"])

    def launch(then: tuple[Values, ...], count: int, seed: int = 0) -> Outcome:
        return simulate(program, ONE, cores=cores, then=then, launches=LAUNCHES, interleavings=count, seed=seed)

    free = change(combination.schedule)
    allowed = launch(ALLOWED[free], interleavings) if ALLOWED[free] else None
    found = None
    for seed in range(most if REFUSED[free] else 0):
        kinds = tuple(dict.fromkeys(f.kind for f in launch(REFUSED[free], 1, seed).findings))
        found = (seed + 1, kinds)
        if kinds:
            break
    return Verdict(launch((), interleavings), allowed, found)


def described(row: Row) -> str:
    """A row in words: what it covers of ready, free, rounds and place."""
    ready, free = (", ".join(map(phrase, clauses)) for clauses in (row.ready, row.free))
    return f"{ready} | {free} | {', '.join(row.rounds)} | {', '.join(row.place)}"


def there(target: str, row: Row) -> bool:
    """Whether a target has what a row announces by: a GPU has no barrier of all cores."""
    return target != "h200" or row.ready != (("barrier", None),)


def wanted() -> list[Row]:
    """The rows that are no error, as far as they announce in a way that is emitted."""
    return [row for row in TABLE if row.error is None and {kind for kind, _ in row.ready} & set(FAMILIES)]
