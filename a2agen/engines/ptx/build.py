"""Builds the kernels of a schedule for the shapes of its launcher, and looks at what the compiler made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from a2agen.emit.offsets import stride_name
from a2agen.emit.triton_dist.backend import kernel_text
from a2agen.emit.triton_dist.host import warps
from a2agen.emit.triton_dist.kernel import arguments
from a2agen.emit.triton_dist.launcher import TORCH_DTYPES
from a2agen.engines.ptx import events, machine, order
from a2agen.engines.ptx.assembly import blocks
from a2agen.engines.ptx.compilers import Answer, Compilers, Job
from a2agen.engines.ptx.events import Seen
from a2agen.engines.ptx.shapes import Shape, shapes
from a2agen.ir.model import TO, Schedule
from a2agen.ir.plan import Copy, Kernel, Load, Plan, Put, Quiet, Store
from a2agen.passes.lower import lower
from a2agen.source import Source

CHIP = "sm_90a"


@dataclass(frozen=True, slots=True)
class Built:
    """A kernel for one shape.

    `loads` and `stores` are the bits of accesses that move tiles, in PTX; `spills` counts instructions that spill
    registers, `resident` the programs that the machine runs at the same time. `faults` says in words what is wrong, and
    is empty where nothing is.
    """

    schedule: Schedule
    kernel: str
    shape: Shape
    answer: Answer
    loads: tuple[int, ...]
    stores: tuple[int, ...]
    spills: int
    resident: int
    faults: tuple[str, ...]


def left_out(plan: Plan) -> str | None:
    """Why stock Triton cannot compile the kernels of a plan; None where it can."""
    found = {type(op) for kernel in plan.kernels for op in events.operations(kernel)}
    if found & {Put, Quiet}:
        return "puts are calls of NVSHMEM's device library, which is not installed there (182 MB)"
    return None


def build(schedule: Schedule, source: Source, compilers: Compilers) -> Iterator[Built]:
    """Build every kernel of a sound schedule that `left_out` does not name, for all its shapes."""
    plan = lower(schedule)
    text = kernel_text(plan, source)
    for kernel in plan.kernels:
        # A kernel beside copies of the host sees nothing of the shape.
        for shape in shapes(plan)[: 1 if kernel.side is not None else None]:
            yield judged(plan, kernel, shape, compilers.compile(job(plan, kernel, shape, text)))


def job(plan: Plan, kernel: Kernel, shape: Shape, text: str) -> Job:
    """A kernel of a plan, whose module has a text, as the launcher launches it for a shape."""
    pointers = {m.name: TORCH_DTYPES[m.dtype] for m in plan.memories}
    pointers |= {w.name: TORCH_DTYPES["i64"] for w in plan.words} | {events.EPOCHS: TORCH_DTYPES["i64"]}
    known: dict[str, int | str] = {"rank": 1, **shape.values, **_strides(plan, shape), **pointers}
    names = [a.name for a in arguments(plan, kernel)]
    options = dict(shape.constants) if kernel.side is None else {}
    given = warps(plan, kernel)
    options |= {} if given is None else {"num_warps": given}
    return Job(text, kernel.name, tuple(known[name] for name in names), options)


def _strides(plan: Plan, shape: Shape) -> dict[str, int]:
    """The strides of a strided tensor's dimensions, here those of a contiguous one."""
    exchange = plan.schedule.exchange
    known = {**shape.values, TO: shape.values[exchange.ranks]}
    found: dict[str, int] = {}
    for memory in plan.memories:
        factors = plan.schedule.storage(memory.name).layout.factors if memory.strided else ()
        sizes = [prod(known[axis] for axis in group) for group in factors]
        found |= {stride_name(memory, n).name: prod(sizes[n + 1 :]) for n in range(len(sizes))}
    return found


def judged(plan: Plan, kernel: Kernel, shape: Shape, answer: Answer) -> Built:
    """What the compiler answered, against the plan."""
    if answer.error is not None:
        return Built(plan.schedule, kernel.name, shape, answer, (), (), 0, 0, (answer.error,))
    program = blocks(answer.ptx, kernel.name)
    seen = events.seen(program, plan, answer.parameters)
    spilt, _ = machine.spills(answer.sass)
    room = machine.resident(answer)
    faults = [
        *order.faults(program, seen, events.planned(kernel, _known(plan, shape))),
        *_of_machine(answer, seen, shape, room),
    ]
    moved = _moved(plan, seen)
    if not faults:
        faults += _of_tiles(plan, kernel, shape, answer, seen)
    return Built(plan.schedule, kernel.name, shape, answer, moved["load"], moved["store"], spilt, room, tuple(faults))


def _known(plan: Plan, shape: Shape) -> dict[str, int]:
    """The numbers that a kernel is compiled for."""
    ranks = plan.schedule.exchange.ranks
    return shape.constants | {ranks: shape.values[ranks]}


def _of_machine(answer: Answer, seen: Seen, shape: Shape, room: int) -> Iterator[str]:
    """What is wrong with machine code, and with what it takes of a multiprocessor."""
    kinds = [f.event.kind for f in seen.events]
    yield from machine.faults(answer.sass, kinds.count("wait"), kinds.count("set") + kinds.count("add"))
    spilt, turned = machine.spills(answer.sass)
    if turned:
        yield f"{turned} instructions spill registers in a loop"
    # The stack of what is spilt is no more than a few words.
    if answer.local_bytes or (answer.stack_bytes and not spilt):
        yield f"a thread has {answer.local_bytes} bytes of local memory and {answer.stack_bytes} of stack"
    if room < shape.programs:
        yield f"{room} programs are resident of the {shape.programs} that the launcher starts"


def _of_tiles(plan: Plan, kernel: Kernel, shape: Shape, answer: Answer, seen: Seen) -> Iterator[str]:
    """Each copy moves its tile, all threads together, and as wide as the shape allows."""
    lines = order.groups(seen)
    sizes = {o.name: o.size.evaluate(shape.constants) for o in plan.offsets}
    size = plan.schedule.source.element_bytes
    for half, kind in (("load", Load), ("store", Store)):
        tiles = [op.tile for op in events.operations(kernel) if isinstance(op, Copy | kind)]
        found = [g for g in lines if g.event.kind == half and g.event.argument != events.EPOCHS]
        for axes, group in zip(tiles, found, strict=True):
            tile = prod(sizes[axis.offsets] for axis in axes if axis.offsets is not None) * size
            each = [f.instruction.width // 8 for f in group.found]
            threads = answer.warps * 32
            if sum(each) * threads != max(tile, each[0] * threads):
                yield f"the {group.event} moves {sum(each) * threads} bytes of a tile of {tile}"
            if shape.bits is not None and set(each) != {shape.bits // 8}:
                widths = ", ".join(f"{n * 8}" for n in sorted(set(each)))
                yield f"the {group.event} is {widths} bits wide, and {shape.bits} bits are possible"


def _moved(plan: Plan, seen: Seen) -> dict[str, tuple[int, ...]]:
    """The bits of accesses that move tiles."""
    memories = {m.name for m in plan.memories}
    found: dict[str, tuple[int, ...]] = {}
    for half in ("load", "store"):
        widths = {f.instruction.width for f in seen.events if f.event.kind == half and f.event.argument in memories}
        found[half] = tuple(sorted(widths))
    return found
