"""What a schedule says that its back end does not emit yet."""

from __future__ import annotations

from a2agen.emit.backends import BACKENDS
from a2agen.findings import Finding
from a2agen.ir.model import Schedule
from a2agen.passes.lower.unlowered import Unlowered, unlowered
from a2agen.passes.ways import link_of, ways
from a2agen.source import Source

CODE = "A399"


def unsupported(schedule: Schedule, source: Source) -> tuple[Finding, ...]:
    """Findings for each part of a sound schedule that cannot be emitted, in the order of the text; none where all of it
    can."""
    backend = BACKENDS.get(schedule.emit)
    if backend is None:
        message = f"the back end {schedule.emit} is checked, but not emitted yet"
        others = [name for name in schedule.target.backends if name in BACKENDS]
        way_out = f"{schedule.target.name} also has `emit {others[0]}`" if others else None
        return (Finding(CODE, message, source.path, schedule.emit_span, help=way_out),)
    parts = (*unlowered(schedule), *backend.refuses(schedule))
    if schedule.auto is not None and backend.choosing is None:
        links = [link_of(way).name for way in ways(schedule)]
        parts += (Unlowered("`link auto`", schedule.phases[0].link.span, f"write `link {links[0]}`"),)
    findings = (
        Finding(CODE, f"{part.what} is checked, but not emitted yet", source.path, part.span, help=part.way_out)
        for part in parts
    )
    return tuple(sorted(findings, key=lambda finding: finding.sort_key))
