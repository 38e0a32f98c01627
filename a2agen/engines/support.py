"""Which engine runs the kernels of which back end."""

from __future__ import annotations

from a2agen.findings import Finding
from a2agen.ir.model import Schedule
from a2agen.source import Source

CODE = "A399"
RUNS = {"cpu": ("triton_dist", "ascendc"), "ascend-ir": ("triton_dist",)}
"""The back ends of every engine."""


def unrunnable(schedule: Schedule, source: Source, engine: str) -> tuple[Finding, ...]:
    """A finding where the kernel of a schedule that is emitted does not run on an engine."""
    if schedule.emit in RUNS[engine]:
        return ()
    message = f"what the back end {schedule.emit} emits does not run on the {engine} engine yet"
    return (Finding(CODE, message, source.path, schedule.emit_span, help=f"it runs {', '.join(RUNS[engine])}"),)
