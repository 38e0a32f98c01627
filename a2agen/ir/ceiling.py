"""What an expression cannot exceed in a box of values, by the bounds of products in it too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Protocol

from a2agen.ir.expr import Add, CeilDiv, Expr, Min, Mul, mul

Values = dict[str, int]
Box = dict[str, tuple[int, int]]

# Bounds of which every combination is tried on a product; of more, each is taken where it helps, in their order.
_FEW = 6


class Bound(Protocol):
    """left <= right."""

    @property
    def left(self) -> Expr: ...
    @property
    def right(self) -> Expr: ...


def corner(box: Box, side: int) -> Values:
    """The least values of a box, or with side 1 its largest."""
    return {name: ends[side] for name, ends in box.items()}


class Ceiling:
    """What expressions, growing in every name, cannot exceed in a box whose values keep some bounds."""

    def __init__(self, box: Box, bounds: Iterable[Bound]) -> None:
        self._low, self._high = corner(box, 0), corner(box, 1)
        self._bounds = [(_factors(b.left), b.right.evaluate(self._high)) for b in bounds]
        self._products: dict[frozenset[tuple[Expr, int]], int] = {}

    def of(self, expr: Expr) -> int:
        match expr:
            case Add(terms):
                return sum(map(self.of, terms))
            case Min(left, right):
                return min(self.of(left), self.of(right))
        return self._product(_factors(expr))

    def _product(self, factors: Counter[Expr]) -> int:
        key = frozenset(factors.items())
        if key not in self._products:
            self._products[key] = self._product_of(factors)
        return self._products[key]

    def _product_of(self, factors: Counter[Expr]) -> int:
        for factor in factors:
            if isinstance(factor, Min):
                # A product with a minimum is no larger than the product with either side of it.
                others = mul(*(factors - Counter([factor])).elements())
                return min(self.of(side * others) for side in (factor.left, factor.right))
        top = _evaluated(factors, self._high)
        if not self._bounds:
            return top
        about = [(bounded, most) for bounded, most in self._bounds if not factors.keys().isdisjoint(bounded)]
        if len(about) > _FEW:
            return min([self._one_by_one(factors, about), *self._by_quotients(factors)])
        for bounded, most in about:
            missing = _evaluated(bounded - factors, self._low)
            top = min(top, most // missing * self._product(factors - bounded))
        return min([top, *self._by_quotients(factors)])

    def _one_by_one(self, factors: Counter[Expr], about: Iterable[tuple[Counter[Expr], int]]) -> int:
        """What a product cannot exceed when each bound is taken once at most."""
        rest, top = Counter(factors), 1
        for bounded, most in about:
            shared = {f: min(times, rest[f]) for f, times in bounded.items() if rest[f]}
            missing = {f: times - shared.get(f, 0) for f, times in bounded.items()}
            limit = most // _evaluated(missing, self._low)
            if limit < _evaluated(shared, self._high):
                top *= limit
                rest.subtract(shared)
        return top * _evaluated(rest, self._high)

    def _by_quotients(self, factors: Counter[Expr]) -> list[int]:
        """What a product cannot exceed by the bounds of what is divided in it: rounded up, a quotient hides the
        product that a bound is about."""
        quotients = [f for f in factors.elements() if isinstance(f, CeilDiv)]
        if not quotients:
            return []
        whole = mul(*(f.left if isinstance(f, CeilDiv) else f for f in factors.elements()))
        found = [self.of(whole)]
        for quotient in quotients:
            if isinstance(quotient.left, Mul):
                most = -(-self.of(quotient.left) // quotient.right.evaluate(self._low))
                found.append(most * self._product(factors - Counter([quotient])))
        return found


def _factors(expr: Expr) -> Counter[Expr]:
    return Counter(expr.factors) if isinstance(expr, Mul) else Counter([expr])


def _evaluated(factors: Mapping[Expr, int], values: Values) -> int:
    product = 1
    for factor, times in factors.items():
        product *= factor.evaluate(values) ** times
    return product
