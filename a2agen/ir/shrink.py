"""Values that exceed a limit, made as small as they can be: what a message names as the first that go wrong."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from itertools import takewhile

from a2agen.ir.ceiling import Bound, Values
from a2agen.ir.expr import Expr

# How often a name may be looked at again because another became smaller, on average.
_TURNS = 8


def shrink(expr: Expr, limit: int, values: Values, least: Mapping[str, int], bounds: Iterable[Bound]) -> Values:
    """Values of which none can be made smaller alone with `expr` still above `limit` and all bounds kept.

    `values` are above the limit and keep the bounds; `least` has the lower end of each; `expr` grows in every name.
    What comes first is made small first. Names that no bound has on its right are tried several at a time: it takes few
    more evaluations than there are names that stay large.
    """
    narrowed, loosened = defaultdict[str, list[Bound]](list), defaultdict[str, list[str]](list)
    for bound in bounds:
        rights = dict.fromkeys(bound.right.names())
        for name in rights:
            narrowed[name].append(bound)
        for name in dict.fromkeys(bound.left.names()):
            loosened[name] += rights
    values = dict(values)

    def lowest(name: str) -> int:
        def serves(number: int) -> bool:
            some = {**values, name: number}
            kept = all(b.left.evaluate(some) <= b.right.evaluate(some) for b in narrowed.get(name, ()))
            return kept and expr.evaluate(some) > limit

        return _lowest(serves, least[name], values[name])

    names = list(least)
    at, count = 0, 1
    while at < len(names):
        several = list(takewhile(lambda name: name not in narrowed, names[at : at + count]))
        together = {**values, **{name: least[name] for name in several}}
        if several and expr.evaluate(together) > limit:
            # What they can do together each can do in turn.
            values, at, count = together, at + len(several), 2 * count
        elif len(several) > 1:
            count = len(several) // 2
        else:
            values[names[at]] = lowest(names[at])
            at += 1
    again, turns = deque(narrowed), _TURNS * len(narrowed)
    while again and turns:
        name, turns = again.popleft(), turns - 1
        number = lowest(name)
        if number < values[name]:
            values[name] = number
            again += loosened.get(name, ())
    return values


def _lowest(serves: Callable[[int], bool], low: int, high: int) -> int:
    """The lowest number from `low` on that serves, where `high` does: most often one of these two."""
    if low >= high or serves(low):
        return min(low, high)
    low, middle = low + 1, high - 1
    while low < high:
        if serves(middle):
            high = middle
        else:
            low = middle + 1
        middle = (low + high) // 2
    return high
