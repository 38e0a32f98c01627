"""Rows that are not a multiple of the alignment.

A core copies rows whose length is a multiple of 32 bytes on Ascend, of 16 on a GPU, in its fast way. Other rows
are right, and slower.

Why it matters: on Ascend such rows take the path that pads and masks each one.

Instead of

    case tails { W = 3, S = 13, D = 24 }     # 48 bytes of bf16

choose, where there is a choice, an innermost extent that fills whole units:

    case tails { W = 3, S = 13, D = 32 }     # 64 bytes
"""

from math import prod

from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A701", "misaligned-rows", Severity.ADVICE)
def check(schedule: Schedule, report: Report) -> None:
    unit = schedule.target.row_align_bytes
    axes, size = analysis.row_axes(schedule), schedule.source.element_bytes
    for case in schedule.cases:
        row = prod(case.values.get(axis, unit) for axis in axes) * size
        if row % unit:
            report(
                case.span,
                f"rows of case {case.name} have {row} bytes ({' * '.join(axes)} * {size}); "
                f"{schedule.target.name} copies multiples of {unit} faster",
                about=case.name,
            )
