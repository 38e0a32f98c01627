"""The kernel of a plan, as Ascend C: a class with a method for the cores of each role."""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.emit.ascendc import tiles
from a2agen.emit.ascendc.dialect import CPP, ELEMENTS
from a2agen.emit.ascendc.operations import Line, lines
from a2agen.emit.manifest import operations
from a2agen.ir.plan import CoreClass, Let, Part, Plan, Put
from a2agen.passes.onchip import staging_bytes


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the kernel: its type and name there, and the type of the member that keeps it."""

    type: str
    name: str
    member: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class PartView:
    condition: str
    method: str
    roles: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ClassView:
    condition: str
    lanes: str
    parts: tuple[PartView, ...]


def arguments(plan: Plan) -> list[Argument]:
    """The kernel's arguments in order: tensors and buffers, signal words, the launch's number, extents, strides."""
    exchange = plan.schedule.exchange
    found = [
        Argument("GM_ADDR", m.name, "__gm__ Element*", f"{'symmetric, ' if m.symmetric else ''}{m.about}")
        for m in plan.memories
    ]
    found += [Argument("GM_ADDR", w.name, "__gm__ uint64_t*", f"symmetric words, {w.about}") for w in plan.words]
    if plan.uses_epochs:
        found.append(Argument("uint64_t", "epoch", "uint64_t", "the number of this launch, 1 for the first"))
    found += [Argument("int32_t", name, "int64_t") for name in (exchange.ranks, *exchange.dims)]
    for memory in plan.memories:
        if memory.strided:
            count = len(plan.schedule.storage(memory.name).layout.factors)
            found += [Argument("int64_t", f"stride_{memory.name}_{n}", "int64_t") for n in range(count)]
    return found


def kernel_context(plan: Plan) -> dict[str, object]:
    """What the template of the kernel needs of its plan."""
    kernel = plan.kernel
    return {
        "kernel": kernel.name,
        "element": ELEMENTS[plan.schedule.source.dtype],
        "arguments": arguments(plan),
        "constants": (*plan.constants, *_flag_blocks(plan)),
        "counts": lines(plan, plan.counts),
        "prologue": [line for line in lines(plan, kernel.prologue) if line.kind != "let"],
        "prologue_values": lines(plan, [op for op in kernel.prologue if isinstance(op, Let)]),
        "classes": [_class(plan, c, n) for n, c in enumerate(kernel.classes)],
        "paired": kernel.classes[0].cores != "all",
        "epilogue": lines(plan, kernel.epilogue),
        "buffer_bytes": tiles.buffer_bytes(plan),
        "blocks": tiles.blocks(plan),
        "flag": _flag(plan),
        "staging_bytes": staging_bytes(plan.schedule),
        "signals_only": all(put.signal is not None for put in operations(kernel) if isinstance(put, Put)),
        "word_step": plan.schedule.target.signal_stride_bytes // 8,
    }


def _flag_blocks(plan: Plan) -> list[tuple[str, int]]:
    """The sizes of flag blocks, in elements, where there are such blocks."""
    flags = next((m.flags for m in plan.memories if m.flags is not None), None)
    return [] if flags is None else [("FLAG_PAYLOAD", flags.payload), ("FLAG_BLOCK", flags.block)]


def _flag(plan: Plan) -> str | None:
    """What flags are set to in a launch, None where no core sets any."""
    values = {CPP.text(copy.flag) for copy in tiles.copies(plan) if copy.flag is not None}
    assert len(values) <= 1, "a launch has one value for flags"
    return next(iter(values), None)


def _class(plan: Plan, cores: CoreClass, position: int) -> ClassView:
    condition = "" if cores.cores == "all" else ("pid % 2 == 0", "")[position]
    lane = "pid" if cores.cores == "all" else "lane"
    return ClassView(condition, CPP.text(cores.lanes), tuple(_part(plan, p, lane) for p in cores.parts if p.body))


def _part(plan: Plan, part: Part, lane: str) -> PartView:
    condition = "" if part.first is None else f"{lane} < {CPP.text(part.first)}"
    method = "Run" + "And".join(f"{role[0].upper()}{role[1:]}" for role in part.roles)
    return PartView(condition, method, " and ".join(part.roles), lines(plan, part.body))
