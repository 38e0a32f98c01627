"""No values keep all bounds.

The `where` bounds and the ranges of the extents contradict each other.

Why it matters: every check holds for no values at all, so a wrong schedule would pass; and the launcher would
refuse every shape.

Instead of

    dim   S in 64..1024
    dim   D in 64..7168
    where S * D <= 1024

leave room between the least values and the bound:

    dim   S in 1..1024
    dim   D in 64..7168
    where S * D <= 2**20
"""

from a2agen.ir.bounds import Bounds, Where
from a2agen.ir.expr import Const
from a2agen.ir.model import Exchange
from a2agen.passes.rules.rule import Report, exchange_rule


@exchange_rule("A207", "bounds-admit-nothing")
def check(exchange: Exchange, report: Report) -> None:
    bounds = exchange.bounds
    if not _empty(bounds):
        return
    alone = [w for w in bounds.where if _empty(Bounds(bounds.extents, (w,)))]
    for where in alone:
        ranges = ", ".join(f"{e.name} in {e.lo}..{e.hi}" for e in bounds.extents if e.name in _names(where))
        report(where.span, f"no values keep {where}" + (f" with {ranges}" if ranges else ""), _HELP, about=where.span)
    if not alone:
        together = " and ".join(map(str, bounds.where))
        report(bounds.where[-1].span, f"no values keep {together} together", _HELP)


_HELP = "lower the least values, or raise the bound"


def _names(where: Where) -> set[str]:
    return {*where.left.names(), *where.right.names()}


def _empty(bounds: Bounds) -> bool:
    return bounds.above(Const(1), 0) is None
