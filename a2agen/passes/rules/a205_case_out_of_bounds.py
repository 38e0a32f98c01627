"""A case lies outside the bounds of its exchange.

A case gives every extent a value of its range, and all of them together keep the `where` bounds.

Why it matters: what is checked is checked for the bounds, and the launcher refuses anything else. Such a case
could never run.

Instead of

    dim S in 1..1024
    case long { W = 8, S = 4096, H = 8, D = 128 }

widen the bounds, or stay within them:

    dim S in 1..4096
    case long { W = 8, S = 4096, H = 8, D = 128 }
"""

from a2agen.ir.model import Exchange
from a2agen.passes.rules.rule import Report, exchange_rule


@exchange_rule("A205", "case-out-of-bounds")
def check(exchange: Exchange, report: Report) -> None:
    for case in exchange.cases:
        values = case.values
        outside = [e for e in exchange.bounds.extents if not e.lo <= values[e.name] <= e.hi]
        if outside:
            given = "; ".join(f"{e.name} = {values[e.name]} is not in {e.lo}..{e.hi}" for e in outside)
            report(case.span, f"case {case.name}: {given}", "change the case, or widen the range", about=case.name)
            continue
        for where in exchange.bounds.where:
            if not where.holds(values):
                left, right = where.left.evaluate(values), where.right.evaluate(values)
                message = f"case {case.name} breaks the bound {where}: {left} is more than {right}"
                report(case.span, message, "change the case, or the bound", about=case.name)
