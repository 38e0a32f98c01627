"""Phases that wait for each other.

The cores of a role do its phases in the order of the spec, those that move whole slabs first, then block by
block. A phase that reads a buffer waits until it is written. If the writer comes later on the same cores, or
waits in turn for something that does, nobody goes on.

Why it matters: the kernel hangs at its first launch.

Instead of

    phase read on worker { move P -> C … }
    phase send on worker { move A -> P … }

let the writer come first, or put the two on different cores:

    phase send on worker { move A -> P … }
    phase read on worker { move P -> C … }
"""

from a2agen.ir.model import Schedule
from a2agen.passes import waits
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A607", "waits-in-a-circle")
def check(schedule: Schedule, report: Report) -> None:
    circle = None if report.anywhere("A206", "A214") else waits.circle(schedule)
    named = [step for step in circle or () if step.move is not None]
    if circle is None or not named:
        return
    first = min(named, key=lambda step: (step.move.span.line, step.move.span.column) if step.move else (0, 0))
    turned = circle[circle.index(first) :] + circle[: circle.index(first)]
    names = [step.phase or "the barrier" for step in turned]
    chain = [name for n, name in enumerate(names) if n == 0 or name != names[n - 1]]
    assert first.move is not None
    message = f"phase {chain[0]} waits for " + ", which waits for ".join([*chain[1:], chain[0]])
    report(first.move.span, message, "let the phase that writes come before the one that reads, or on other cores")
