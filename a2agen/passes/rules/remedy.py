"""Bounds that do away with a fault, for the help of messages: whoever writes them down has no such finding any more."""

from __future__ import annotations

from dataclasses import replace

from a2agen.ir.bounds import Bounds, Where
from a2agen.ir.expr import Const, Expr, Sym, mul

MOST_NAMES = 8


def product_bound(bounds: Bounds, expr: Expr, limit: int, *, without: str | None = None) -> str | None:
    """A bound on the product of the names in `expr` that keeps it, growing in every name, within `limit`, as
    `S * D <= 2**27`: the largest power of two that does.

    `without` is a name that the product leaves out. None where no bound keeps it, or it would leave nothing admitted;
    or be of more names than one writes down.
    """
    names = [name for name in dict.fromkeys(expr.names()) if name != without]
    if not 0 < len(names) <= MOST_NAMES:
        return None
    product = mul(*map(Sym, names))

    least = product.evaluate({e.name: e.lo for e in bounds.extents})
    first = (least - 1).bit_length()  # of the powers of two that leave something admitted
    low, high = first - 1, bounds.maximum(product).bit_length()
    while low < high:
        power = (low + high + 1) // 2
        where = Where(product, Const(2**power), bounds.extents[0].span)
        if replace(bounds, where=(*bounds.where, where)).above(expr, limit) is None:
            low = power
        else:
            high = power - 1
    return f"{product} <= 2**{low}" if low >= first else None
