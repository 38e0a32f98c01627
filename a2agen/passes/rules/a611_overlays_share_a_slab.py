"""Two buffers lie over the same slab.

An overlay uses the part of its host that belongs to the own rank, which nobody else writes. Two overlays of one
host lie in the same bytes.

Why it matters: what one phase stores into the first, another overwrites through the second, and no word orders
the two.

Instead of

    buffer L : [S D] per block slots 2 overlay P[self]
    buffer M : [S D] per block slots 2 overlay P[self]

give one of them memory of its own:

    buffer M : [S D] local per block slots 2
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A611", "overlays-share-a-slab", requires=("A504",))
def check(schedule: Schedule, report: Report) -> None:
    first: dict[str, str] = {}
    for buffer in schedule.buffers:
        if buffer.overlay is None:
            continue
        if buffer.overlay in first:
            report(
                buffer.span,
                f"{buffer.name} and {first[buffer.overlay]} lie in the same bytes: "
                f"both are in the own-rank slab of {buffer.overlay}",
                f"leave out `overlay` of {buffer.name}",
                about=of(buffer),
            )
        first.setdefault(buffer.overlay, buffer.name)
