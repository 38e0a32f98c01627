"""Which engine runs the kernels of which back end and target."""

from __future__ import annotations

from a2agen.findings import Finding
from a2agen.ir.model import Schedule
from a2agen.source import Source

CODE = "A399"
RUNS = {
    "cpu": ("triton_dist", "ascendc"),
    "ascend-ir": ("triton_dist",),
    "cuda": ("triton_dist",),
    "ptx": ("triton_dist",),
}
"""The back ends of every engine."""
VENDORS = {"cuda": "nvidia", "ptx": "nvidia"}
"""Whose machines an engine is, where it is not for all."""


def unrunnable(schedule: Schedule, source: Source, engine: str) -> tuple[Finding, ...]:
    """A finding where the kernel of a schedule that is emitted does not run on an engine."""
    if schedule.emit not in RUNS[engine]:
        message = f"what the back end {schedule.emit} emits does not run on the {engine} engine yet"
        return (Finding(CODE, message, source.path, schedule.emit_span, help=f"it runs {', '.join(RUNS[engine])}"),)
    vendor = VENDORS.get(engine)
    if vendor is not None and schedule.target.vendor != vendor:
        message = f"a kernel for {schedule.target.name} does not run on the {engine} engine, whose GPUs are of {vendor}"
        way_out = f"name a schedule for a target of {vendor} with --schedule, or take --engine cpu"
        return (Finding(CODE, message, source.path, schedule.target_span, help=way_out),)
    return ()
