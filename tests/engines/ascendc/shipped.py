"""The schedules under specs/ that are emitted as Ascend C."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from a2agen.emit.unsupported import unsupported
from a2agen.ir.model import Schedule
from a2agen.passes.check import Checked, check
from a2agen.source import Source

ROOT = Path(__file__).resolve().parents[3]


@lru_cache
def shipped() -> tuple[tuple[Checked, Schedule], ...]:
    """All schedules whose kernels are Ascend C, each with its spec."""
    found = []
    for path in sorted((ROOT / "specs").glob("*.a2a")):
        source = Source(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
        checked = check(source)
        found += [(checked, s) for s in checked.schedules if s.emit == "ascendc" and not unsupported(s, checked.source)]
    return tuple(found)


def name_of(schedule: Schedule) -> str:
    return f"{schedule.exchange.name}/{schedule.name}"
