"""The tensors can be larger than 64-bit addresses reach.

All offsets are 64-bit. With every extent at its largest, the tensors would need more bytes than that.

Why it matters: offsets would wrap, and rows would be written over each other.

Instead of

    dim S in 1..2147483647
    dim H in 1..2147483647
    dim D in 1..2147483647

bound the extents, or their product:

    where S * H * D <= 2**40
"""

from a2agen.ir.expr import mul
from a2agen.ir.model import Exchange
from a2agen.passes.rules.remedy import product_bound
from a2agen.passes.rules.rule import Report, exchange_rule
from a2agen.passes.rules.wording import at

LIMIT = 2**63 - 1


@exchange_rule("A215", "tensor-too-large")
def check(exchange: Exchange, report: Report) -> None:
    size = mul(*(exchange.extent(axis) for axis in exchange.source.layout.axes), exchange.source.element_bytes)
    values = exchange.bounds.above(size, LIMIT)
    if values is not None:
        bound = product_bound(exchange.bounds, size, LIMIT, without=exchange.ranks)
        report(
            exchange.source.span,
            f"{exchange.source.name} needs {size.evaluate(values)} bytes = {size} with {at(values, size)}: "
            "more than 2**63 - 1",
            f"add a bound such as `where {bound}`" if bound else "lower the bounds",
        )
