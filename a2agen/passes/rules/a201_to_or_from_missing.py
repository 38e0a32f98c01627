"""The input has no `to`, or the output no `from`, or there is nothing else.

`to` is the rank that a row goes to, `from` the rank that it comes from. The input has a slab for each
destination, the output one for each source. A slab has an axis of its own at least.

Why it matters: without `to` nothing says which rows go where, and without `from` rows of different ranks would
lie on each other.

Instead of

    in  A : bf16 [S H D]
    out C : bf16 [S H D]

write

    in  A : bf16 [(to S) H D]
    out C : bf16 [S (from H) D]
"""

from a2agen.ir.model import FROM, TO, Exchange
from a2agen.passes.rules.rule import Report, exchange_rule


@exchange_rule("A201", "to-or-from-missing")
def check(exchange: Exchange, report: Report) -> None:
    for storage, axis, what in ((exchange.source, TO, "input"), (exchange.result, FROM, "output")):
        if axis not in storage.layout.axes:
            report(
                storage.layout_span,
                f"the {what} {storage.name} has no axis `{axis}`",
                f"merge `{axis}` with the axis that it cuts, as in `({axis} {(storage.layout.axes or ('S',))[0]})`",
            )
        elif len(storage.layout.axes) == 1:
            report(
                storage.layout_span,
                f"the slabs of the {what} {storage.name} have no axis: there is only `{axis}`",
                f"add a dim, as in `({axis} S)`",
            )
