"""A put reads a tensor whose strides are known only at run time.

`strided` lets the caller pass any view of a tensor. A put copies one run of bytes from the first element's
address on.

Why it matters: the put ignores the strides. It sends whatever lies behind the first element, and the result is
wrong without any error.

Instead of

    in A : bf16 [(to S) H D] strided
    …
    move  A -> P for others
    link  udma

drop `strided`, or pack the rows first in a phase of its own, whose loads do follow the strides:

    buffer K : [to S H D] local
    …
    move  A -> K for others      # link mte
    move  K -> P for others      # link udma
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of


@schedule_rule("A305", "strided-source", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    for phase, link in linked(schedule):
        strided = dict.fromkeys(m.source.name for m in phase.moves if m.source.strided)
        if link.contiguous and strided:
            name = next(iter(strided))
            report(
                phase.link.span,
                f"{link.name} reads one run of memory, and {name} is strided: its strides are known only at run time",
                f"leave out `strided` of {name}, or pack it into a local buffer in a load/store phase, and put that",
                about=of(phase),
            )
