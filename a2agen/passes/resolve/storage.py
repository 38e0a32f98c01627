"""The storages of a schedule: the tensors as placed, and its buffers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from a2agen.grammar import tree
from a2agen.ir.model import Slots, Storage
from a2agen.passes.resolve.faults import Faults
from a2agen.passes.resolve.layout import PEERS, layout
from a2agen.passes.resolve.scope import ExchangeScope


@dataclass(slots=True)
class Storages:
    """A schedule's storages by name, tensors first; None where something of one is at fault.

    `placed`: whether it is known which tensors are in symmetric memory.
    """

    known: dict[str, Storage | None] = field(default_factory=dict)
    placed: bool = True

    def sound(self) -> tuple[Storage, ...]:
        return tuple(s for s in self.known.values() if s is not None)


def storages(decl: tree.ScheduleDecl, scope: ExchangeScope, faults: Faults) -> Storages:
    """The tensors of the exchange, with this schedule's placing, and the schedule's buffers in order."""
    made = Storages(dict(scope.tensors))
    names = scope.names.copy()
    hosts: dict[str, tree.BufferDecl] = {}
    for b in decl.buffers:
        if names.give(b.name, "buffer", faults):
            hosts[b.name.text] = b
    for b in hosts.values():
        made.known[b.name.text] = _buffer(b, decl, hosts, scope, faults)
    _place(decl, scope, hosts, made, faults)
    return made


def _buffer(
    decl: tree.BufferDecl,
    schedule: tree.ScheduleDecl,
    hosts: dict[str, tree.BufferDecl],
    scope: ExchangeScope,
    faults: Faults,
) -> Storage | None:
    before = faults.unknowns
    name = decl.name.text
    home = _home(decl, faults)
    overlay = faults.once(decl.overlays, "overlay", "buffer")
    host = _host(overlay, decl, hosts, schedule, faults) if overlay else None
    if overlay and home:
        way_out = f"leave `{home.text}` out"
        faults.misplaced(home.span, f"{name} is where its host {overlay.host.text} is", way_out)
    if host is not None:
        home = next(iter(host.homes), None)
    shape = layout(decl.layout, () if overlay else PEERS, "an overlay" if overlay else "a buffer", scope, faults)
    slots = _slots(decl, schedule, faults)
    flagged = faults.once(decl.flagged, "flagged", "buffer")
    align = faults.once(decl.aligns, "align", "buffer")
    align_bytes = faults.at_least_one(align, "an alignment in bytes") if align else None
    tensor = next((t for t in scope.tensors.values() if t), None)
    if faults.unknowns != before or shape is None or tensor is None:
        return None
    return Storage(
        name,
        "buffer",
        tensor.dtype,
        shape,
        span=decl.span,
        layout_span=decl.layout.span,
        symmetric=home is not None and home.text == "symmetric",
        slots=slots,
        flagged=flagged is not None,
        overlay=overlay.host.text if overlay else None,
        align=align_bytes,
    )


def _home(decl: tree.BufferDecl, faults: Faults) -> tree.Word | None:
    for other in decl.homes[1:]:
        if other.text != decl.homes[0].text:
            faults.misplaced(other.span, f"{decl.name.text} can't be symmetric and local", "keep one of the two")
            return decl.homes[0]
    return faults.once(decl.homes, decl.homes[0].text if decl.homes else "", "buffer")


def _host(
    overlay: tree.OverlayDecl,
    decl: tree.BufferDecl,
    hosts: dict[str, tree.BufferDecl],
    schedule: tree.ScheduleDecl,
    faults: Faults,
) -> tree.BufferDecl | None:
    name = overlay.host.text
    others = [h for h in hosts if h != decl.name.text]
    if name == decl.name.text:
        faults.misplaced(overlay.host.span, f"{name} can't lie in itself", "name the buffer whose own slab it may use")
        return None
    host = hosts.get(name)
    if host is None:
        if not schedule.damaged:
            faults.unknown(overlay.host, "buffer", "other buffers", others)
        return None
    if host.overlays:
        way_out = f"lay {decl.name.text} over {host.overlays[0].host.text}"
        faults.misplaced(overlay.host.span, f"{name} has no memory of its own: it is an overlay itself", way_out)
    elif not any(axis.text in PEERS for factor in host.layout.factors for axis in factor):
        way_out = "lay it over a buffer with `to` or `from`"
        faults.misplaced(overlay.span, f"{name} has no slab of the own rank: its layout has no `to` or `from`", way_out)
    return host


def _slots(decl: tree.BufferDecl, schedule: tree.ScheduleDecl, faults: Faults) -> Slots | None:
    per_block = faults.once(decl.per_block, "per block", "buffer")
    slots = faults.once(decl.slots, "slots", "buffer")
    count = faults.at_least_one(slots, f"the number of slots of {decl.name.text}") if slots else 1
    if per_block is None:
        if slots is not None:
            way_out = f"write `per block slots {slots.value}`, or leave `slots` out"
            faults.misplaced(slots.span, "slots hold blocks, and the buffer is not per block", way_out)
        return None
    if not schedule.blocks and not schedule.damaged:
        message = f"{decl.name.text} is per block, and the schedule has no block"
        faults.missing(per_block.span, message, "add `block S by 8`, with an axis of yours")
    return Slots(count, span=slots.span if slots else per_block.span) if count is not None else None


def _place(
    decl: tree.ScheduleDecl,
    scope: ExchangeScope,
    hosts: dict[str, tree.BufferDecl],
    made: Storages,
    faults: Faults,
) -> None:
    for name in scope.tensors:
        faults.once([p for p in decl.places if p.tensor.text == name], f"place {name}", "schedule")
    for p in decl.places:
        name = p.tensor.text
        if name in scope.tensors:
            tensor = made.known[name]
            if tensor and tensor.strided:
                message = f"{name} is strided, and memory that the launcher allocates is not"
                faults.misplaced(p.tensor.span, message, f"leave `strided` out of {name}, or `place` out")
            made.known[name] = replace(tensor, symmetric=True) if tensor else None
        elif name in hosts:
            way_out = f"leave out `place {name}`: `symmetric` stands behind the layout of a buffer"
            faults.misplaced(p.tensor.span, f"`place` is for tensors, and {name} is a buffer", way_out)
        else:
            made.placed = False
            if scope.damaged:
                continue
            faults.unknown(p.tensor, "tensor", "tensors", scope.tensors)
