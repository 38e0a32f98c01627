"""Input and output have different types.

An exchange moves bytes. It converts nothing.

Why it matters: the output would hold the bytes of the input under another meaning, or twice as many as there
are.

Instead of

    in  A : f32  [(to S) H D]
    out C : bf16 [S (from H) D]

give both the same type, and convert before or after the exchange:

    in  A : bf16 [(to S) H D]
    out C : bf16 [S (from H) D]
"""

from a2agen.ir.model import Exchange
from a2agen.passes.rules.rule import Report, exchange_rule


@exchange_rule("A216", "types-differ")
def check(exchange: Exchange, report: Report) -> None:
    source, result = exchange.source, exchange.result
    if source.dtype != result.dtype:
        message = f"{source.name} has elements of {source.dtype}, {result.name} of {result.dtype}"
        report(result.span, message, f"write {source.dtype} for both, and convert outside the exchange")
