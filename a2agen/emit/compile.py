"""The generated files of a spec, as texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from a2agen.emit.backends import BACKENDS
from a2agen.emit.unsupported import unsupported
from a2agen.findings import Finding
from a2agen.ir.model import Schedule
from a2agen.passes.lower import lower
from a2agen.passes.ways import ways
from a2agen.source import Source

if TYPE_CHECKING:
    from a2agen.passes.check import Checked


def compile_spec(checked: Checked, source: Source) -> tuple[dict[str, str], tuple[Finding, ...]]:
    """The texts of all files of a spec's schedules by their path below the output folder, and why some have none.

    `source` is the spec as the files are to show it: its path from where the command in their header is run.
    """
    texts: dict[str, str] = {}
    findings: list[Finding] = []
    for schedule in checked.schedules:
        refused = unsupported(schedule, checked.source)
        findings += refused
        if not refused:
            folder = f"{schedule.exchange.name}/{schedule.declared}"
            if schedule == ways(schedule)[0]:
                texts |= {f"{folder}/{name}": text for name, text in schedule_files(schedule, source).items()}
    return texts, tuple(findings)


def schedule_files(schedule: Schedule, source: Source) -> dict[str, str]:
    """The files of one schedule by name, those of all its ways together. The schedule is sound and supported."""
    backend = BACKENDS[schedule.emit]
    if schedule.auto is None:
        return backend.files(lower(schedule), source)
    assert backend.choosing is not None  # nothing else is supported
    return backend.choosing(tuple(lower(way) for way in ways(schedule)), source)
