"""The range of an exchange's extents, and what an expression can reach in it.

Everything here costs the logarithm of the extents at most, never the extents themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from a2agen.ir.expr import Add, CeilDiv, Expr, Min, Mul, mul
from a2agen.source import Span

Values = dict[str, int]
Box = dict[str, tuple[int, int]]

# Boxes looked at before a question is given up as undecided. A question about n extents takes a few dozen.
_BUDGET = 4000


@dataclass(frozen=True, slots=True)
class Extent:
    """A symbolic extent, lo and hi inclusive."""

    name: str
    lo: int
    hi: int
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Where:
    """A bound that extents keep: left <= right."""

    left: Expr
    right: Expr
    span: Span = field(compare=False)

    def holds(self, values: Mapping[str, int]) -> bool:
        return self.left.evaluate(values) <= self.right.evaluate(values)

    def __str__(self) -> str:
        return f"{self.left} <= {self.right}"


@dataclass(frozen=True, slots=True)
class Bounds:
    """All values of the extents that a spec admits."""

    extents: tuple[Extent, ...]
    where: tuple[Where, ...] = ()

    def admits(self, values: Mapping[str, int]) -> bool:
        inside = all(e.lo <= values[e.name] <= e.hi for e in self.extents)
        return inside and all(w.holds(values) for w in self.where)

    def above(self, expr: Expr, limit: int) -> Values | None:
        """Smallest values for which `expr`, growing in every name, exceeds `limit`; None where none does.

        Where the search is undecided (a bound within a hair of the limit), the corner it could not exclude is given.
        """
        boxes: list[Box] = [{e.name: (e.lo, e.hi) for e in self.extents}]
        for _ in range(_BUDGET):
            if not boxes:
                return None
            box = self._tighten(boxes.pop())
            if box is None or self._ceiling(expr, box) <= limit:
                continue
            low, high = _corner(box, 0), _corner(box, 1)
            if all(w.holds(high) for w in self.where):
                return self._shrink(expr, limit, high)
            if expr.evaluate(low) > limit and all(w.holds(low) for w in self.where):
                return self._shrink(expr, limit, low)
            if low != high:
                boxes += _halves(box)
        return _corner(boxes[-1], 1) if boxes else None

    def smallest(self) -> Values | None:
        """The smallest values admitted, None where the bounds admit none."""
        low = {e.name: e.lo for e in self.extents}
        if any(e.lo > e.hi for e in self.extents):
            return None
        return low if all(w.holds(low) for w in self.where) else None

    def maximum(self, expr: Expr) -> int:
        """An upper bound of `expr`, growing in every name, over all admitted values; exact where no `where` binds."""
        box = self._tighten({e.name: (e.lo, e.hi) for e in self.extents})
        if box is None:
            return 0
        top = self._ceiling(expr, box)
        if not self.where:
            return top
        low = 0
        while low < top:
            middle = (low + top) // 2
            if self.above(expr, middle) is None:
                top = middle
            else:
                low = middle + 1
        return top

    def _ceiling(self, expr: Expr, box: Box) -> int:
        """What `expr` cannot exceed in a box, by the bounds of products in it too."""
        match expr:
            case Add(terms):
                return sum(self._ceiling(term, box) for term in terms)
            case Mul(factors):
                return self._product_ceiling(Counter(factors), box)
            case Min(left, right):
                return min(self._ceiling(left, box), self._ceiling(right, box))
        return self._product_ceiling(Counter([expr]), box)

    def _product_ceiling(self, factors: Counter[Expr], box: Box) -> int:
        for factor in factors:
            if isinstance(factor, Min):
                # A product with a minimum is no larger than the product with either side of it.
                others = mul(*(factors - Counter([factor])).elements())
                return min(self._ceiling(side * others, box) for side in (factor.left, factor.right))
        low, high = _corner(box, 0), _corner(box, 1)
        top = mul(*factors.elements()).evaluate(high)
        for bound in self.where:
            bounded = Counter(bound.left.factors) if isinstance(bound.left, Mul) else Counter([bound.left])
            if bounded & factors:
                missing = mul(*(bounded - factors).elements()).evaluate(low)
                rest = self._product_ceiling(factors - bounded, box)
                top = min(top, bound.right.evaluate(high) // missing * rest)
        return min([top, *self._quotient_ceilings(factors, box)]) if self.where else top

    def _quotient_ceilings(self, factors: Counter[Expr], box: Box) -> list[int]:
        """What a product cannot exceed by the bounds of what is divided in it: rounded up, a quotient hides the
        product that a bound is about."""
        quotients = [f for f in factors.elements() if isinstance(f, CeilDiv)]
        if not quotients:
            return []
        whole = mul(*(f.left if isinstance(f, CeilDiv) else f for f in factors.elements()))
        found = [self._ceiling(whole, box)]
        for quotient in quotients:
            if isinstance(quotient.left, Mul):
                most = -(-self._ceiling(quotient.left, box) // quotient.right.evaluate(_corner(box, 0)))
                found.append(most * self._product_ceiling(factors - Counter([quotient]), box))
        return found

    def _tighten(self, box: Box) -> Box | None:
        """The box without values that a bound rules out for certain; None where it is empty."""
        box = dict(box)
        for bound in self.where:
            limit = bound.right.evaluate(_corner(box, 1))
            low = _corner(box, 0)
            if bound.left.evaluate(low) > limit:
                return None
            for name in set(bound.left.names()):
                lo, hi = box[name]
                while lo < hi:  # the largest value that holds with the others at their least
                    middle = (lo + hi + 1) // 2
                    if bound.left.evaluate({**low, name: middle}) <= limit:
                        lo = middle
                    else:
                        hi = middle - 1
                box[name] = (box[name][0], hi)
        return box

    def _shrink(self, expr: Expr, limit: int, values: Values) -> Values:
        """Values at which none can be made smaller alone with `expr` still above `limit`."""
        for extent in self.extents:
            lo, hi = extent.lo, values[extent.name]
            while lo < hi:
                middle = (lo + hi) // 2
                trial = {**values, extent.name: middle}
                if expr.evaluate(trial) > limit and all(w.holds(trial) for w in self.where):
                    hi = middle
                else:
                    lo = middle + 1
            values = {**values, extent.name: hi}
        return values


def _corner(box: Box, side: int) -> Values:
    return {name: ends[side] for name, ends in box.items()}


def _halves(box: Box) -> list[Box]:
    """The box cut across its widest name, by ratio; the larger half last."""
    name = max(box, key=lambda n: (box[n][1] + 1) / (box[n][0] + 1))
    lo, hi = box[name]
    middle = max(lo, min(hi - 1, _root(lo, hi)))
    return [{**box, name: (lo, middle)}, {**box, name: (middle + 1, hi)}]


def _root(lo: int, hi: int) -> int:
    """The geometric middle of a range, its arithmetic middle where the ends are near each other."""
    if hi <= 2 * (lo + 1):
        return (lo + hi) // 2
    middle = lo
    while (middle + 1) * (middle + 1) < (lo + 1) * (hi + 1):
        middle = middle * 2 + 1
    return middle
