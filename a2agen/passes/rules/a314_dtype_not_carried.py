"""A type that the back end has no pointers of.

Triton-Distributed on Ascend knows pointers to integers of 8 to 64 bits, to f16, bf16 and f32. On NVIDIA it
knows the 8-bit floats too.

Why it matters: the compiler of the back end stops with an internal error when it meets another type.

Instead of

    in A : f8e4m3 [(to S) H D]      # target ascend950

exchange the bytes as they are, as a view of the same tensor:

    in A : i8 [(to S) H D]
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.wording import listed


@schedule_rule("A314", "dtype-not-carried")
def check(schedule: Schedule, report: Report) -> None:
    backend = schedule.target.backends[schedule.emit]
    source = schedule.source
    if source.dtype not in backend.dtypes:
        same_size = "; write `i8` to exchange the bytes as they are" if source.element_bytes == 1 else ""
        report(
            schedule.emit_span,
            f"{schedule.emit} on {schedule.target.name} has no pointers to {source.dtype}, the type of {source.name}",
            f"its types are {listed(backend.dtypes)}{same_size}",
        )
