"""An overlay that does not fit where it lies.

`overlay P[self]` puts a buffer into the part of P that belongs to the own rank, which nobody else writes. It
holds blocks of the own slab, so it has the axes of that slab; the block axis comes first, so that rows past the
end of the slab, which are never written, are its last ones; and the slab is one piece of memory, with `from`
outside all other axes of P.

Why it matters: an overlay with other axes, or in another place, reaches into the slabs of other ranks, and the
stores of two ranks meet there.

Instead of

    buffer P : [from S H D] symmetric
    buffer L : [H S D] per block slots 2 overlay P[self]

keep the order of the slab:

    buffer L : [S H D] per block slots 2 overlay P[self]
"""

from a2agen.ir.model import Schedule, Storage
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A504", "overlay-does-not-fit")
def check(schedule: Schedule, report: Report) -> None:
    for buffer in schedule.buffers:
        host = schedule.host_of(buffer)
        if host is None:
            continue
        fault = _fault(schedule, buffer, host)
        if fault is not None:
            message, way_out = fault
            report(buffer.span, message, way_out, about=of(buffer))


def _fault(schedule: Schedule, buffer: Storage, host: Storage) -> tuple[str, str] | None:
    slab = [axis for axis in host.layout.axes if axis != host.peer_axis]
    block = schedule.block.axis if schedule.block is not None and buffer.slots is not None else None
    if host.slots is not None:
        return (
            f"{host.name} is per block, so it holds no own-rank slab for {buffer.name} to lie in",
            f"leave out `overlay`, or `per block` of {host.name}",
        )
    if host.peer_axis is not None and host.layout.axes[0] != host.peer_axis:
        order = " ".join([host.peer_axis, *slab])
        return (
            f"the own-rank slab of {host.name} {host.layout} is not one piece of memory: "
            f"`{host.peer_axis}` is not its first axis",
            f"lay {host.name} out as `[{order}]`, or leave out `overlay`",
        )
    if set(buffer.layout.axes) != set(slab):
        return (
            f"{buffer.name} {buffer.layout} has other axes than the slab of {host.name}, [{' '.join(slab)}]",
            f"write `[{' '.join(slab)}]`",
        )
    if block is not None and buffer.layout.axes[0] != block:
        first = " ".join([block, *(axis for axis in slab if axis != block)])
        return (
            f"the slots of {buffer.name} reach past the slab of {host.name} when {block} is small: "
            f"{block} is not the first axis of {buffer.layout}",
            f"let {block} be the first axis, as in `[{first}]`",
        )
    return None
