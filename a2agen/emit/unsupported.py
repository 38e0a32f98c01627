"""What a schedule says that no back end emits yet."""

from __future__ import annotations

from a2agen.findings import Finding
from a2agen.ir.model import Schedule
from a2agen.passes.lower.unlowered import unlowered
from a2agen.source import Source

CODE = "A399"


def unsupported(schedule: Schedule, source: Source) -> tuple[Finding, ...]:
    """Findings for each part of a sound schedule that cannot be emitted; none where all of it can."""
    if schedule.emit != "triton_dist":
        message = f"the back end {schedule.emit} is checked, but not emitted yet"
        return (
            Finding(CODE, message, source.path, schedule.emit_span, help="emit triton_dist where the target has it"),
        )
    return tuple(
        Finding(CODE, f"{part.what} is checked, but not emitted yet", source.path, part.span, help=part.way_out)
        for part in unlowered(schedule)
    )
