"""Builds the kernel of a schedule for a chip, and looks at what the compilers made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from a2agen.emit.triton_dist.backend import kernel_text
from a2agen.emit.triton_dist.kernel import arguments
from a2agen.engines.ascend_ir import hivm, planned
from a2agen.engines.ascend_ir.compilers import Answer, Compilers, Job, StandIn
from a2agen.engines.ascend_ir.pipeline import is_a5
from a2agen.ir.model import Schedule
from a2agen.ir.plan import Plan
from a2agen.passes import onchip
from a2agen.passes.lower import lower
from a2agen.source import Source
from a2agen.targets import profile
from a2agen.targets.profile import Profile

SLACK = 10
"""The predicted on-chip memory may be more than what is planned by one part in so many."""

TRITON_DTYPES = {
    "f32": "fp32",
    "f16": "fp16",
    "bf16": "bf16",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "f8e4m3": "fp8e4nv",
    "f8e5m2": "fp8e5",
}


@dataclass(frozen=True, slots=True)
class Built:
    """A kernel for one chip.

    `operations` and `symbols` are what final HIVM has, `ub_bytes` what is planned of the on-chip buffer, and
    `predicted_bytes` what the checker predicted. `faults` says in words what is wrong, and is empty where nothing is.
    """

    schedule: Schedule
    chip: str
    form: StandIn
    answer: Answer
    operations: dict[str, int]
    symbols: dict[str, int]
    predicted_bytes: int
    faults: tuple[str, ...]

    @property
    def ub_bytes(self) -> int | None:
        return self.answer.ub_bytes


def chips() -> tuple[str, ...]:
    """The chips of all Ascend profiles."""
    found = [chip for p in _profiles() for chip in p.chips]
    return tuple(dict.fromkeys(found))


def forms(chip: str) -> tuple[StandIn, ...]:
    """The stand-ins that a kernel is built with: that of all operations where bishengir-compile takes them."""
    return ("stock",) if is_a5(chip) else ("dist", "stock")


def build(schedule: Schedule, source: Source, chip: str, form: StandIn, compilers: Compilers) -> Built:
    """Build the kernel of a sound schedule that `triton_dist` emits, and compare with its plan."""
    plan = lower(schedule)
    return judged(plan, chip, form, compilers.compile(job(plan, kernel_text(plan, source), chip, form)))


def job(plan: Plan, text: str, chip: str, form: StandIn) -> Job:
    """The kernel of a plan, whose module has a text."""
    return Job(text, plan.kernel.name, types(plan), dict(plan.constants), chip, form)


def types(plan: Plan) -> dict[str, str]:
    """The types of a kernel's arguments."""
    pointers = {m.name: f"*{TRITON_DTYPES[m.dtype]}" for m in plan.memories}
    pointers |= {w.name: "*i64" for w in plan.words} | {"epochs": "*i64"}
    return {a.name: pointers.get(a.name) or ("i64" if a.name.startswith("stride_") else "i32") for a in arguments(plan)}


def judged(plan: Plan, chip: str, form: StandIn, answer: Answer) -> Built:
    """What the compilers answered, against the plan and the prediction."""
    predicted = predicted_bytes(plan.schedule, chip)
    if answer.error is not None:
        fault = f"{answer.stage}: {answer.error}"
        return Built(plan.schedule, chip, form, answer, {}, {}, predicted, (fault,))
    assert form != "cpu"
    found = hivm.read(answer.texts["hivm"], plan.kernel.name)
    faults = [f"final HIVM has {wrong}" for wrong in planned.missing(plan, form, found.operations, found.symbols)]
    assert answer.ub_bytes is not None
    if not answer.ub_bytes <= predicted <= answer.ub_bytes * (SLACK + 1) / SLACK:
        faults.append(f"{answer.ub_bytes} bytes on chip are planned, and {predicted} were predicted")
    return Built(plan.schedule, chip, form, answer, found.operations, found.symbols, predicted, tuple(faults))


def predicted_bytes(schedule: Schedule, chip: str) -> int:
    """What the checker predicts of the compiler's plan of on-chip memory, as if the schedule were for the chip."""
    own = chip in schedule.target.chips
    target = schedule.target if own else next(p for p in _profiles() if chip in p.chips)
    return onchip.tile_bytes(replace(schedule, target=target))


def _profiles() -> Iterator[Profile]:
    return (p for p in map(profile.load, profile.names()) if p.vendor == "ascend")
