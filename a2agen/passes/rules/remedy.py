"""Bounds that do away with a fault, for the help of messages: whoever writes them down has no such finding any more."""

from __future__ import annotations

from dataclasses import replace

from a2agen.ir.bounds import Bounds, Where
from a2agen.ir.expr import Const, Expr, Sym, mul
from a2agen.ir.model import Exchange
from a2agen.passes.rules.wording import listed

MOST_NAMES = 8


def ranks_within(exchange: Exchange, low: int, high: int) -> str:
    """Other bounds of the ranks, and the cases that they leave out, as a help asks for them."""
    name = exchange.ranks
    outside = [case.name for case in exchange.cases if not low <= dict(case.values).get(name, low) <= high]
    cases = f", and another {name} in case {listed(outside)}" if outside else ""
    return f"write `ranks {name} in {low}..{high}`{cases}"


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
