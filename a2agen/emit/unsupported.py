"""What a schedule says that no back end emits yet."""

from __future__ import annotations

from collections.abc import Iterator

from a2agen.findings import Finding
from a2agen.ir.model import Link, Phase, Schedule
from a2agen.passes import analysis
from a2agen.source import Source, Span

CODE = "A399"


def unsupported(schedule: Schedule, source: Source) -> tuple[Finding, ...]:
    """Findings for each part of a sound schedule that cannot be emitted; none where all of it can."""
    if schedule.emit != "triton_dist":
        message = f"the back end {schedule.emit} is checked, but not emitted yet"
        return (
            Finding(CODE, message, source.path, schedule.emit_span, help="emit triton_dist where the target has it"),
        )
    found = (f for phase in schedule.phases for f in _phase(schedule, phase))
    return tuple(
        Finding(CODE, f"{what} is checked, but not emitted yet", source.path, span, help=way_out)
        for what, span, way_out in found
    )


def _phase(schedule: Schedule, phase: Phase) -> Iterator[tuple[str, Span, str | None]]:
    kind = schedule.target.link(phase.link.name).kind
    if phase.ready.kind in ("signal", "flag"):
        yield f"`ready {phase.ready}`", phase.ready.span, "use ready notify"
    if phase.role.cores == "host" or kind == "copy_engine":
        yield f"the link {phase.link.name} of a host role", phase.link.span, None
    elif kind == "put" and schedule.target.vendor == "nvidia":
        yield f"the link {phase.link.name}", phase.link.span, "use link ldst"
    for option in _options(phase.link):
        yield f"`{option}` of the link {phase.link.name}", phase.link.span, None
    for move in phase.moves:
        for _, writer, _ in analysis.feeds(schedule, move):
            way = _mismatch(schedule, writer, phase)
            if way:
                yield f"reading {move.source.name} in pieces other than phase {writer.name} announces", move.span, way


def _options(link: Link) -> Iterator[str]:
    if link.queues > 1:
        yield f"qps {link.queues}"
    if link.split:
        yield "split"
    if link.batch is not None:
        yield f"submit batch {link.batch}"
    if link.relay:
        yield "relay next"


def _mismatch(schedule: Schedule, writer: Phase, reader: Phase) -> str | None:
    """How to make a reader wait for whole announcements, where its piece needs several words that differ in more than
    the core."""
    unit = writer.ready.unit
    if writer.ready.kind != "notify" or unit == "peer":
        return None
    whole = any(analysis.at_once(schedule, reader, m) for m in reader.moves) and schedule.block is not None
    if unit == "block":
        return f"say ready notify per peer in phase {writer.name}" if whole else None
    if reader.tile is None:
        return f"say ready notify per block in phase {writer.name}"
    axes = {axis for axis, _ in (*writer.tile.sizes, *reader.tile.sizes)} if writer.tile else set()
    if any(writer.tile is not None and reader.tile.size(a) > writer.tile.size(a) for a in axes):
        return f"give phase {reader.name} tiles no larger than those of phase {writer.name}"
    return None
