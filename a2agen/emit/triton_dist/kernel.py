"""The kernel of a plan, as Triton-Distributed source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from a2agen.emit.manifest import operations
from a2agen.emit.offsets import count, text
from a2agen.emit.triton_dist.operations import Line, lines
from a2agen.ir.plan import CoreClass, Kernel, Notify, Part, Plan, Wait, Words
from a2agen.passes import analysis


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the kernel: its name, the launcher's expression for it, whether compilation fixes it."""

    name: str
    value: str
    about: str = ""
    constant: bool = False


@dataclass(frozen=True, slots=True)
class PartView:
    head: str
    about: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class ClassView:
    head: str
    lanes: str
    parts: tuple[PartView, ...]


def arguments(plan: Plan, kernel: Kernel | None = None) -> list[Argument]:
    """A kernel's arguments in order: tensors, signal words, epochs, the rank, extents, strides of a strided tensor.

    A kernel beside copies of the host has only the words that it uses, and the number of ranks. Without a kernel, those
    of the plan's only one.
    """
    kernel = kernel or plan.kernel
    if kernel.side is not None:
        used = {op.word.words for op in operations(kernel) if isinstance(op, Wait | Notify)}
        return [
            *(_words(region) for region in plan.words if region.name in used),
            Argument("epochs", f"self._{kernel.epochs}", "how often each core has run this kernel"),
            *_who(plan),
        ]
    found: list[Argument] = []
    for memory in plan.memories:
        where = "symmetric, " if memory.symmetric else ""
        value = memory.name if memory.kind != "buffer" else f"self._{memory.name}"
        found.append(Argument(memory.name, value, f"{where}{memory.about}"))
    found += [_words(region) for region in plan.words]
    if plan.uses_epochs:
        found.append(Argument("epochs", "self._epochs", "how many launches each core has done"))
    exchange = plan.schedule.exchange
    found += _who(plan)
    found += [Argument(name, name, constant=_known(plan, name)) for name in exchange.dims]
    for memory in plan.memories:
        if memory.strided:
            count = len(plan.schedule.storage(memory.name).layout.factors)
            found += [Argument(f"stride_{memory.name}_{n}", f"{memory.name}.stride({n})") for n in range(count)]
    return found


def _who(plan: Plan) -> tuple[Argument, Argument]:
    """The rank and the number of ranks: a GPU's compiler knows that, and divides by it at no cost."""
    ranks, known = plan.schedule.exchange.ranks, plan.schedule.target.vendor == "nvidia"
    return Argument("rank", "ranks.rank"), Argument(ranks, ranks, constant=known)


def _known(plan: Plan, dim: str) -> bool:
    """Whether a GPU's compiler knows an extent. From one that has a single value it sees how far rows are aligned,
    where it would otherwise know of multiples of 16 elements alone."""
    schedule = plan.schedule
    return schedule.target.vendor == "nvidia" and analysis.fixed_extent(schedule, dim) is not None


def _words(region: Words) -> Argument:
    return Argument(region.name, f"self._{region.name}", f"symmetric words, {region.about}")


def kernel_context(plans: Sequence[Plan]) -> dict[str, object]:
    """What the template needs of the kernels of a schedule's plans."""
    body = repr([plan.kernels for plan in plans])
    schedule = plans[0].schedule
    vendor = schedule.target.vendor
    return {
        "vendor": vendor,
        "ranks": schedule.exchange.ranks,
        "kernels": [
            {
                "name": kernel.name,
                "arguments": arguments(plan, kernel),
                "constants": plan.constants,
                "counts": lines(plan, [count(plan, let) for let in plan.counts]),
                "offsets": [{"name": o.name, "size": text(o.size)} for o in plan.offsets],
                "prologue": lines(plan, kernel.prologue),
                "classes": [_class(plan, c, n) for n, c in enumerate(kernel.classes)],
                "epilogue": lines(plan, kernel.epilogue),
            }
            for plan in plans
            for kernel in plan.kernels
        ],
        "uses_dl": any(f"{op}(" in body for op in ("Wait", "Notify")) or "rank=Sym" in body,
        "uses_libshmem": any(f"{op}(" in body for op in ("Put", "Quiet", "Barrier"))
        or ("Fence(" in body and vendor != "nvidia"),
    }


def _class(plan: Plan, cores: CoreClass, position: int) -> ClassView:
    head = "" if cores.cores == "all" else ("if pid % 2 == 0:", "else:")[position]
    lane = "pid" if cores.cores == "all" else "lane"
    return ClassView(head, text(cores.lanes), tuple(_part(plan, p, lane) for p in cores.parts))


def _part(plan: Plan, part: Part, lane: str) -> PartView:
    head = ""
    if part.first is not None:
        head = f"if {lane} < {text(part.first)}:"
    elif part.rest is not None:
        head = "else:"
    body = lines(plan, part.body) or (Line("idle"),)
    return PartView(head, ", ".join(part.roles), body)
