"""Outcomes as the CPU engine gives them, and a stand-in that records how it is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SimFinding:
    kind: str
    rank: int | None
    core: int | None
    line: int | None
    text: str
    seed: int
    shape: dict[str, int]
    cores: int


@dataclass(frozen=True)
class Ran:
    values: dict[str, int]
    cores: int
    interleavings: int


@dataclass(frozen=True)
class Outcome:
    verified: bool = True
    launches: int = 3
    interleavings: int = 5
    wrong: int = 0
    deadlocks: int = 0
    findings: tuple[SimFinding, ...] = ()
    error: str | None = None
    seconds: float = 0.1234
    shapes: tuple[Ran, ...] = (Ran({"W": 2, "S": 9}, 4, 3), Ran({"W": 4, "S": 1}, 1, 2))


@dataclass
class Engine:
    """Answers `broken` for schedules of that name, else a verified outcome."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)

    def _answer(self, checked: Any, schedule: Any, values: dict[str, int] | None, **options: Any) -> Outcome:
        assert schedule in checked.schedules
        self.calls.append({"schedule": schedule.name, "values": values, **options})
        return self.outcomes.get(schedule.name, Outcome())

    run_schedule = simulate = _answer

    @staticmethod
    def memory_needed(schedule: Any, values: dict[str, int]) -> int:
        """A GiB for 32 S."""
        return values["S"] << 25

    @staticmethod
    def too_few_cores(schedule: Any, values: dict[str, int] | None, cores: int) -> str | None:
        return None if cores > 1 else f"{schedule.name}: no core for a role"

    @staticmethod
    def too_many_cores(schedule: Any, cores: int) -> str | None:
        return None if cores <= 8 else f"{schedule.name}: a launch has 8 cores, not {cores}"


RACE = SimFinding("race", 1, 3, 42, "P[0] read before it is written", 7, {"W": 2, "S": 9}, 4)
HANG = SimFinding("deadlock", None, None, None, "no core can go on", 8, {"W": 4, "S": 1}, 1)
BROKEN = Outcome(verified=False, wrong=2, deadlocks=1, findings=(RACE, HANG))
