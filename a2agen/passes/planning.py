"""The text of `a2agen plan`: where a schedule's memory lies, and what its host and its cores do, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from a2agen.ir.expr import Const, Expr, add, mul, show, substitute
from a2agen.ir.model import Role, Schedule, Storage
from a2agen.ir.plan import (
    Clear,
    CoreClass,
    Fork,
    HostBarrier,
    HostCopy,
    HostOp,
    Join,
    Kernel,
    Launch,
    Part,
    Plan,
    Synchronize,
    Words,
)
from a2agen.passes import analysis, words
from a2agen.passes.choice import predictions
from a2agen.passes.columns import columns
from a2agen.passes.lower import lower
from a2agen.passes.lower.unlowered import unlowered
from a2agen.passes.narration import host_copy, lines
from a2agen.passes.onchip import staging_bytes, tile_bytes, tile_limit
from a2agen.passes.shapes import change_of
from a2agen.passes.ways import link_of

Row = tuple[str, ...]

_SAFETY = {
    "back to back": "safe in stream order, as a workspace belongs to one shape",
    "host": "safe by the launcher's host barrier, not without it",
    "no": "not safe",
}
_ANY_SHAPES = "safe in stream order, whatever the shapes"
_CLASSES = {"all": "all cores", "even": "even cores", "odd": "odd cores", "host": "the host"}


def describe(schedule: Schedule, values: Mapping[str, int] | None) -> str:
    """The plan of a sound schedule as text.

    Sizes are formulas over the extents and `cores`, in bytes of one rank, and numbers too for the extents' `values`.
    Of a schedule that has no lowering yet, only the memory, the roles and the protocol are told, and why.
    """
    missing = unlowered(schedule)
    plan = None if missing else _chosen(lower(schedule), values)
    known = None if values is None else {**values, "cores": analysis.launch_cores(schedule)}
    sections = [_header(schedule, plan, values), _memory(schedule, plan, known)]
    if plan is not None and plan.words:
        sections.append(_words(plan, known))
    sections += [_on_chip(schedule), _protocol(schedule)]
    if plan is not None:
        sections += [_host(plan), *(_program(plan, kernel) for kernel in plan.kernels)]
    else:
        sections += [_roles(schedule), ["no program yet: these are checked, but not lowered"]]
        sections[-1] += [f"  line {part.span.line}: {part.what}" for part in missing]
    return "\n\n".join("\n".join(section) for section in sections) + "\n"


def _chosen(plan: Plan, values: Mapping[str, int] | None) -> Plan:
    """A plan with the tile and the programs that its launcher takes at a shape."""
    if not plan.tuned or values is None:
        return plan
    at = predictions(plan.schedule, values)[link_of(plan.schedule).name]
    assert at.programs is not None  # what cores carry has both
    assert at.tile is not None
    high, long = at.tile
    sizes = {name: long if axis is None else high for name, axis in plan.tuned}
    constants = tuple((name, sizes.get(name, value)) for name, value in plan.constants)
    return replace(plan, constants=constants, cores=at.programs, tuned=())


def _cores(schedule: Schedule, plan: Plan | None) -> str:
    """How many cores a launch has, and of how many that a launcher may take."""
    most = analysis.launch_cores(schedule)
    if plan is None or plan.cores == most:
        return f"{'at most ' if plan is not None and plan.tuned else ''}{most} cores"
    return f"{plan.cores} of {most} cores"


def _header(schedule: Schedule, plan: Plan | None, values: Mapping[str, int] | None) -> list[str]:
    exchange = schedule.exchange
    link = "" if schedule.auto is None else f", link {link_of(schedule).name}"
    ranges = [f"{e.name} in {e.lo}..{e.hi}" for e in exchange.bounds.extents] + [str(w) for w in exchange.bounds.where]
    title = (
        f"{exchange.name} by {schedule.declared}{link}: target {schedule.target.name}, emit {schedule.emit}, "
        f"{_cores(schedule, plan)}, rounds {schedule.rounds}"
    )
    tensors = " -> ".join(f"{s.name} {s.layout}" for s in (schedule.source, schedule.result))
    shape = [] if values is None else [f"  for {', '.join(f'{name} = {value}' for name, value in values.items())}"]
    return [title, f"  {tensors}, {schedule.source.dtype}", f"  {', '.join(ranges)}", *shape]


def _memory(schedule: Schedule, plan: Plan | None, known: Mapping[str, int] | None) -> list[str]:
    """One row for each tensor and buffer; an overlay has the bytes of its host."""
    rows = []
    for storage in schedule.storages:
        axes = analysis.memory_axes(schedule, storage)
        lies = " ".join(_axis(axis, extent) for axis, extent in axes)
        size = mul(storage.element_bytes, _elements(plan, storage) or analysis.storage_elements(schedule, storage))
        rows.append((storage.name, _kind(schedule, storage), f"[{lies}]", *_size(size, storage, known)))
    if plan is not None and plan.uses_epochs and schedule.emit != "ascendc":
        size = analysis.CORES * schedule.target.signal_stride_bytes
        rows += [(k.epochs, "a word per core, local", "[cores]", *_bytes(size, known)) for k in plan.kernels]
    return ["memory of a rank, axes as they lie, outer first", *columns(rows, "  ")]


def _elements(plan: Plan | None, storage: Storage) -> Expr | None:
    """How many elements the plan gives a storage, its constants as numbers; None where it is no memory of the plan."""
    if plan is None or storage.overlay is not None:
        return None
    constants = {name: Const(value) for name, value in plan.constants}
    return substitute(plan.memory(storage.name).elements, constants)


def _axis(axis: str, extent: Expr) -> str:
    """An axis, with its extent where that is not the extent of the same name."""
    return axis if str(extent) == axis else f"{axis}:{extent}"


def _kind(schedule: Schedule, storage: Storage) -> str:
    if storage.overlay is not None:
        return f"overlay of {storage.overlay}[self]"
    home = "symmetric" if storage.symmetric else "local" if storage.kind == "buffer" else ""
    align = analysis.slab_alignment(schedule, storage)
    about = [storage.kind, home, "strided" if storage.strided else "", "flagged" if storage.flagged else ""]
    about.append(f"slabs at multiples of {align} bytes" if align else "")
    return ", ".join(word for word in about if word)


def _size(size: Expr, storage: Storage, known: Mapping[str, int] | None) -> Row:
    if storage.overlay is not None:
        return (f"in {storage.overlay}",)
    return _bytes(size, known)


def _bytes(size: Expr, known: Mapping[str, int] | None) -> Row:
    formula = f"{show(size)} bytes"
    return (formula,) if known is None else (formula, f"= {size.evaluate(known)}")


def _words(plan: Plan, known: Mapping[str, int] | None) -> list[str]:
    stride = plan.schedule.target.signal_stride_bytes
    rows = [
        (region.name, _indices(region), region.about, *_bytes(words.word_count(region) * stride, known))
        for region in plan.words
    ]
    total = add(*(words.word_count(region) for region in plan.words))
    count = "" if known is None else f" = {total.evaluate(known)}"
    return [f"signal words, {stride} bytes apart: {show(total)}{count} of them", *columns(rows, "  ")]


def _indices(region: Words) -> str:
    return f"[{' '.join(_axis(axis, extent) for axis, extent in region.axes)}]"


def _on_chip(schedule: Schedule) -> list[str]:
    limit = tile_limit(schedule)
    if limit is None:
        return ["on chip: the compiler places tiles in registers"]
    staging = staging_bytes(schedule)
    tiles = tile_bytes(schedule)
    requests = f"; requests of the engine take {staging} bytes more" if staging else ""
    return [f"on chip: tiles take {tiles} of {limit} bytes of a core, as predicted{requests}"]


def _protocol(schedule: Schedule) -> list[str]:
    """The row of the launch-protocol table for each move, and what makes the next launch safe."""
    rows = []
    for phase, move in analysis.moves(schedule):
        said = (phase.name, f"{move.source.name} -> {move.target.name} for {move.who}")
        if not analysis.announced(schedule, move):
            rows.append((*said, "nothing announced", "", "", _ANY_SHAPES))
            continue
        protocol = analysis.protocol(schedule, phase, move)
        alone = protocol.parity and not analysis.doubled(schedule, phase, move)
        name = f"{protocol.name}, not doubled on the own rank" if alone else protocol.name
        free_of_shapes = protocol.safe == "back to back" and change_of(schedule, phase, move) == "any"
        safety = _ANY_SHAPES if free_of_shapes else _SAFETY[protocol.safe]
        rows.append((*said, f"ready {phase.ready}", f"free {phase.free}", name, safety))
    return ["protocol, by phase and move: the row, and the next launch", *columns(rows, "  ")]


def _host(plan: Plan) -> list[str]:
    return ["each launch, on the host", *(f"  {n}. {_host_op(plan, op)}" for n, op in enumerate(plan.host, 1))]


def _host_op(plan: Plan, op: HostOp) -> str:
    match op:
        case Clear(names):
            return f"clear {', '.join(names)} on the stream"
        case Synchronize():
            return "wait until the stream has done all so far"
        case HostBarrier():
            return "wait until the host of every rank has come here"
        case Launch(kernel):
            return f"launch {kernel} on {_cores(plan.schedule, plan)}"
        case Fork(streams):
            return f"fork {show(streams)} side streams from the stream"
        case HostCopy():
            return host_copy(op)
        case Join(streams):
            return f"join {show(streams)} side streams: the stream goes on when their copies are complete"
    raise TypeError(f"no words for {op!r}")


def _program(plan: Plan, kernel: Kernel) -> list[str]:
    out = ["program" if kernel.side is None else f"program of {kernel.name}"]
    chosen = [name for name, _ in plan.tuned]
    values = [f"{name} = {value}" for name, value in plan.constants if name not in chosen]
    values += [f"{' and '.join(chosen)} as the launcher chooses"] if chosen else []
    values += [f"{let.name} = {show(let.value)}" for let in plan.counts]
    if values:
        out.append(f"  with {', '.join(values)}")
    if kernel.prologue:
        out += ["  every core first", *lines(plan, kernel.prologue, 4)]
    for cores in kernel.classes:
        out += _class(plan, cores)
    if kernel.epilogue:
        out += ["  every core last", *lines(plan, kernel.epilogue, 4)]
    return out


def _class(plan: Plan, cores: CoreClass) -> Iterator[str]:
    counted = "pid of cores" if cores.cores == "all" else f"lane of lanes, lanes = {show(cores.lanes)}"
    for part in cores.parts:
        roles = f", role {', '.join(part.roles)}" if part.roles else ", no role"
        yield f"  {_CLASSES[cores.cores]}{roles} ({counted}{_lanes(cores, part)})"
        yield from lines(plan, part.body, 4) or ["    nothing"]


def _lanes(cores: CoreClass, part: Part) -> str:
    lane = "pid" if cores.cores == "all" else "lane"
    if part.first is not None:
        return f"; those with {lane} < {show(part.first)}"
    return "" if part.rest is None else f"; those with {lane} >= {show(part.rest)}"


def _roles(schedule: Schedule) -> list[str]:
    rows = [(role.name, _role(role), ", ".join(_phases(schedule, role))) for role in schedule.roles]
    return ["roles, and their phases", *columns(rows, "  ")]


def _role(role: Role) -> str:
    share = "one per peer" if role.per_peer else f"rest of {role.rest_of}" if role.rest_of else ""
    return f"{_CLASSES[role.cores]}{', ' if share else ''}{share}"


def _phases(schedule: Schedule, role: Role) -> list[str]:
    return [phase.name for phase in schedule.phases if phase.role.name == role.name]
