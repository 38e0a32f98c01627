"""Symmetric memory above the target's heap.

Symmetric buffers, symmetric tensors and signal words lie in a heap that every rank reserves when the library
starts. It has a largest size, and a schedule must fit it for every shape that the bounds admit.

Why it matters: an allocation that fails stops the first user with a large shape, long after the spec was
checked in; and where the library does not check, a store goes past the end of the heap.

Instead of

    dim S in 1..65536
    dim H in 1..256
    dim D in 1..16384
    buffer P : [from S H D] symmetric

lower the bounds to what is used, bound the product (`where S * H * D <= 2**27`), or hold a few blocks only:

    buffer P : [from S H D] symmetric per block slots 2
"""

from a2agen.ir.expr import Const, Expr, add
from a2agen.ir.model import Schedule
from a2agen.passes import analysis, words
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.wording import at


@schedule_rule("A505", "heap-too-small")
def check(schedule: Schedule, report: Report) -> None:
    bounds, limit = schedule.exchange.bounds, schedule.target.heap_max_bytes
    symmetric = [s for s in schedule.storages if s.symmetric and s.overlay is None]
    if schedule.poisoned or not symmetric:
        return
    signals = words.signal_bytes(schedule)
    sizes: list[Expr] = [analysis.storage_bytes(schedule, s) for s in symmetric]
    total = add(*sizes, signals)
    values = bounds.above(total, limit)
    if values is None or bounds.above(signals, limit) is not None:
        return
    most = [bounds.maximum(size) for size in sizes]
    largest = symmetric[most.index(max(most))]
    parts = [f"{s.name} {size}" for s, size in zip(symmetric, sizes, strict=True)]
    if signals != Const(0):
        parts.append(f"signal words {signals}")
    report(
        largest.span,
        f"needs up to {bounds.maximum(total)} bytes of symmetric memory ({', '.join(parts)}), "
        f"and the heap of {schedule.target.name} has {limit}; it fails at {at(values, total)}",
        f"lower the bounds, bound the product with `where`, or let {largest.name} hold blocks (`per block`)"
        if largest.kind == "buffer" and largest.slots is None
        else "lower the bounds, or bound the product with `where`",
        about=of(largest),
    )
