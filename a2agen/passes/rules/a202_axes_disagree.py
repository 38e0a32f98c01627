"""Input and output have different axes.

Apart from `to` and `from` they have the same axes, in any order: an exchange moves elements, it neither makes
nor drops any.

Why it matters: where an axis is missing, several elements would land on one place, or one element on many.

Instead of

    in  A : bf16 [(to S) H D]
    out C : bf16 [S (from H)]

write

    in  A : bf16 [(to S) H D]
    out C : bf16 [S (from H) D]
"""

from a2agen.ir.model import FROM, TO, Exchange
from a2agen.passes.rules.rule import Report, exchange_rule


@exchange_rule("A202", "axes-disagree", requires=("A201",))
def check(exchange: Exchange, report: Report) -> None:
    source, result = exchange.source, exchange.result
    there, here = ([a for a in s.layout.axes if a not in (TO, FROM)] for s in (source, result))
    known = set(there), set(here)
    lost, new = [a for a in there if a not in known[1]], [a for a in here if a not in known[0]]
    if not lost and not new:
        return
    parts = [f"lacks {', '.join(lost)} of {source.name} {source.layout}"] if lost else []
    parts += [f"has {', '.join(new)}, which {source.name} {source.layout} lacks"] if new else []
    report(
        result.layout_span,
        f"{result.name} {result.layout} {' and '.join(parts)}",
        "give both the same axes; only `to` and `from` differ",
    )
