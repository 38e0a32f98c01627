"""Flag blocks that something cuts, or that only one side of a put has.

Rows of a `flagged` buffer lie along its innermost axis in blocks: 480 bytes of data and the flag behind them. A
flag speaks for a whole block. So a tile takes whole blocks of a row or the whole row, and neither the block loop,
nor `qps`, nor `split` cuts a row. The innermost axis is one of the data; a put copies blocks to
blocks; and nothing else lies in the slabs of the buffer.

Why it matters: two tiles with one block between them write its flag twice, and the peer reads when the first of
them is there. A reader of half a block with `rounds reset` clears the flag that the other half is waiting for.

Instead of

    buffer K : [to S D] local flagged      # bf16: 240 elements to a block
    …
    tile   S 8, D 256

take whole blocks:

    tile   S 8, D 480
"""

from collections.abc import Iterator
from dataclasses import replace

from a2agen.ir.model import Move, Phase, Schedule, Storage, Tile
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.trial import accepted, with_phase
from a2agen.source import Span

Fault = tuple[Span, str, str]


@schedule_rule("A615", "flag-blocks-cut", requires=("A211", "A301", "A304", "A308", "A613", "A616"))
def check(schedule: Schedule, report: Report) -> None:
    for buffer in schedule.buffers:
        host = schedule.host_of(buffer) or buffer
        if buffer.flagged and buffer.layout.axes[-1] == buffer.peer_axis:
            report(
                buffer.layout_span,
                f"rows of flag blocks lie along the innermost axis, and that of {buffer.name} {buffer.layout} counts "
                f"ranks: blocks of several slabs would share a flag",
                f"move `{buffer.peer_axis}` to the front",
                about=of(buffer),
            )
        elif buffer.overlay is not None and (buffer.flagged or host.flagged):
            report(
                buffer.span,
                f"{buffer.name} lies in the slab of {host.name}, and flag blocks leave no room for other data",
                f"leave out `overlay {host.name}[self]`, and `flagged` for {buffer.name}",
                about=of(buffer),
            )
    for phase, move in analysis.moves(schedule):
        for span, message, way_out in _faults(schedule, phase, move, report):
            report(span, message, way_out, about=of(phase))


def _faults(schedule: Schedule, phase: Phase, move: Move, report: Report) -> Iterator[Fault]:
    link = schedule.target.links.get(phase.link.name)
    flagged = [s for s in (move.source, move.target) if s.flagged]
    if link is None or not flagged:
        return
    if link.kind != "put":
        for storage in flagged:
            yield from _tile(schedule, phase, storage, report)
        return
    if len(flagged) == 1:
        other = move.target if move.source.flagged else move.source
        yield (
            move.span,
            f"a put copies bytes as they lie, and of {move.source.name} and {move.target.name} only "
            f"{flagged[0].name} has flag blocks",
            f"write `flagged` for {other.name} too, or for neither",
        )
    elif phase.ready.kind == "flag":
        yield from _cut(schedule, phase, move)


def _tile(schedule: Schedule, phase: Phase, storage: Storage, report: Report) -> Iterator[Fault]:
    """A tile whose end lies within a block."""
    blocks, axis = analysis.flag_blocks(schedule, storage), storage.layout.axes[-1]
    if blocks is None or phase.tile is None or axis == storage.peer_axis:
        return
    size, payload = phase.tile.size(axis), blocks[0]
    most = max((e.hi for e in schedule.exchange.bounds.extents if e.name == axis), default=0)
    if size % payload and (size < most or size == 1):
        whole = -(-size // payload) * payload
        others = (entry for entry in phase.tile.sizes if entry[0] != axis)
        tile = Tile((*others, (axis, whole)), span=phase.tile.span)
        way_out = f"write `tile {tile}`"
        if not accepted(schedule, with_phase(schedule, phase, replace(phase, tile=tile)), report):
            way_out = f"take a multiple of {payload} elements of {axis}, and a block that it divides"
        yield (
            phase.tile.span,
            f"a flag block of {storage.name} holds {payload} elements of {axis}, and a tile takes {size} of up to "
            f"{most}: its end lies within a block",
            way_out,
        )


def _cut(schedule: Schedule, phase: Phase, move: Move) -> Iterator[Fault]:
    """A put whose pieces end within a block."""
    storage = move.target
    row = storage.layout.axes[-1]
    data = [axis for axis in move.source.layout.axes if axis != move.source.peer_axis]
    if phase.link.split and row not in analysis.common_run(schedule, phase, move):
        yield (
            phase.link.span,
            f"`split` cuts the rows of {storage.name}, whose flag blocks lie along {row}, into single elements",
            f"give {move.source.name} and {storage.name} the same innermost axis",
        )
    elif schedule.block is not None and schedule.block.axis == row:
        yield (
            schedule.block.span,
            f"the block loop cuts {row}, along which the flag blocks of {storage.name} lie",
            "let the block loop run over another axis",
        )
    elif phase.link.queues > 1 and data[0] == row:
        yield (
            phase.link.span,
            f"`qps {phase.link.queues}` cuts a slab along its first axis, and that of {storage.name} is {row}, along "
            f"which its flag blocks lie",
            "leave out `qps`, or add an axis outside it",
        )
