"""The host program of a plan: it allocates, launches and verifies."""

from __future__ import annotations

from types import MappingProxyType

from a2agen.emit.ascendc.dialect import CPP
from a2agen.emit.ascendc.kernel import arguments
from a2agen.emit.manifest import operations
from a2agen.ir.expr import Const, Expr, substitute
from a2agen.ir.model import FROM, TO, Storage
from a2agen.ir.plan import Clear, HostOp, Launch, Memory, Plan, Put
from a2agen.passes.words import word_count

# What C++ calls a number of so many bytes. A host program copies and compares elements, and never computes with them.
_BITS = MappingProxyType({1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"})


def host_context(plan: Plan) -> dict[str, object]:
    """What the templates of the host program and of its build need of a plan."""
    exchange, schedule = plan.schedule.exchange, plan.schedule
    names = [e.name for e in exchange.bounds.extents]
    return {
        "kernel": plan.kernel.name,
        "chip": schedule.target.chips[0],
        "element": _BITS[exchange.source.element_bytes],
        "dtype": exchange.source.dtype,
        "ranks": exchange.ranks,
        "extents": exchange.bounds.extents,
        "names": names,
        "wheres": [_shape(plan, w.left) + " <= " + _shape(plan, w.right) for w in exchange.bounds.where],
        "cases": [{"name": c.name, "values": [c.values[name] for name in names]} for c in exchange.cases],
        "cores": plan.cores,
        "uses_cores": any("cores" in word_count(w).names() for w in plan.words),
        "memories": [_memory(plan, m) for m in plan.memories],
        "words": [
            {"name": w.name, "bytes": _shape(plan, word_count(w) * schedule.target.signal_stride_bytes)}
            for w in plan.words
        ],
        "zeroed": [m.name for m in plan.memories if m.flags is not None] + [w.name for w in plan.words],
        "flagged": any(m.flags is not None for m in plan.memories),
        "source": exchange.source.name,
        "result": exchange.result.name,
        "order": [_axis(plan, axis) for axis in exchange.result.layout.axes],
        "place": _place(plan),
        "steps": [_step(op) for op in plan.host],
        "values": [_argument(plan, a.name) for a in arguments(plan)],
        "puts": any(isinstance(op, Put) for op in operations(plan.kernel)),
        "relays": any(p.link.relay for p in schedule.phases),
        "queues": max(p.link.queues for p in schedule.phases),
        "uses_ceil": "CeilDiv(" in repr([_shape(plan, m.elements) for m in plan.memories])
        or any("CeilDiv(" in _shape(plan, word_count(w)) for w in plan.words),
    }


def _memory(plan: Plan, memory: Memory) -> dict[str, object]:
    storage = plan.schedule.storage(memory.name)
    return {
        "name": memory.name,
        "symmetric": memory.symmetric,
        "bytes": _shape(plan, memory.elements * storage.element_bytes),
    }


def _shape(plan: Plan, expr: Expr) -> str:
    """An expression over the extents, which a host program keeps in `shape`."""
    constants = {name: Const(value) for name, value in plan.constants}
    return CPP.text(substitute(expr, constants))


def _axis(plan: Plan, axis: str) -> dict[str, str]:
    extent = plan.schedule.exchange.ranks if axis in (TO, FROM) else axis
    return {"name": f"at_{axis}", "extent": extent}


def _place(plan: Plan) -> str:
    """Where the source has the element of a result's index, the destination being this rank."""
    source: Storage = plan.schedule.exchange.source
    offset = ""
    for axis in source.layout.axes:
        at = "rank" if axis == TO else f"at_{axis}"
        extent = _axis(plan, axis)["extent"]
        offset = f"({offset}) * {extent} + {at}" if " " in offset else f"{offset} * {extent} + {at}" if offset else at
    return offset


def _step(op: HostOp) -> dict[str, object]:
    match op:
        case Clear(words):
            return {"kind": "Clear", "words": words}
        case Launch():
            return {"kind": "Launch"}
    return {"kind": type(op).__name__}


def _argument(plan: Plan, name: str) -> str:
    exchange = plan.schedule.exchange
    if name == "epoch":
        return "launch + 1"
    if name in {e.name for e in exchange.bounds.extents}:
        return f"static_cast<int32_t>({name})"
    if name in {m.name for m in plan.memories} | {w.name for w in plan.words}:
        return name
    # A stride: the host program's own tensors are contiguous.
    memory = next(m for m in plan.memories if name.startswith(f"stride_{m.name}_"))
    number = int(name.rsplit("_", 1)[1])
    behind = plan.schedule.storage(memory.name).layout.factors[number + 1 :]
    extents = [_axis(plan, axis)["extent"] for group in behind for axis in group]
    return f"static_cast<int64_t>({' * '.join(extents) or '1'})"
