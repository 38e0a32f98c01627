"""Signal words alone are larger than the symmetric heap.

Every announcement has a word of its own, a cache line apart from the next. With `notify per tile` there is one
for each tile, so a small tile of a large tensor needs more memory for words than for data.

Why it matters: the allocation fails on the first large shape.

Instead of

    tile  S 1, D 1
    ready notify per tile

take a larger tile, or announce a coarser unit:

    ready notify per block
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis, words
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.wording import at


@schedule_rule("A610", "signal-memory", requires=("A301", "A303", "A603"))
def check(schedule: Schedule, report: Report) -> None:
    bounds, limit = schedule.exchange.bounds, schedule.target.heap_max_bytes
    size = words.signal_bytes(schedule)
    values = bounds.above(size, limit)
    announcing = [p for p, m in analysis.moves(schedule) if p.ready.unit and analysis.announced(schedule, m)]
    if values is None or not announcing:
        return
    phase = next((p for p in announcing if p.ready.unit == "tile"), announcing[0])
    report(
        phase.ready.span,
        f"signal words need up to {bounds.maximum(size)} bytes = {size}, and the heap of {schedule.target.name} "
        f"has {limit}; it fails at {at(values, size)}",
        "take a larger tile, or announce per block or per peer" if phase.ready.unit == "tile" else "lower the bounds",
        about=of(phase),
    )
