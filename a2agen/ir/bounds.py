"""The range of an exchange's extents, and what an expression can reach in it.

Everything here costs the logarithm of the extents at most, never the extents themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from a2agen.ir.ceiling import Box, Ceiling, Values, corner
from a2agen.ir.expr import Const, Expr
from a2agen.ir.shrink import shrink
from a2agen.source import Span

# Boxes looked at before a question is given up as undecided, times the extents and bounds that it is about: each box
# costs that much. A question about n extents takes a few dozen boxes; a maximum has as many for all its questions.
_BUDGET = 16_000


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

    def names(self) -> Iterator[str]:
        yield from self.left.names()
        yield from self.right.names()

    def __str__(self) -> str:
        return f"{self.left} <= {self.right}"


@dataclass(frozen=True, slots=True)
class Bounds:
    """All values of the extents that a spec admits."""

    extents: tuple[Extent, ...]
    where: tuple[Where, ...] = ()

    # The bounds that rule something out, each left side once: what the questions below look at.
    _binding: tuple[Where, ...] = field(init=False, compare=False, repr=False)
    _by_name: Mapping[str, Extent] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {e.name: e for e in self.extents})
        object.__setattr__(self, "_binding", _binding(self.extents, self.where))

    def extent(self, name: str) -> Extent:
        """The extent of a name. Raises KeyError where there is none."""
        return self._by_name[name]

    def admits(self, values: Mapping[str, int]) -> bool:
        inside = all(e.lo <= values[e.name] <= e.hi for e in self.extents)
        return inside and all(w.holds(values) for w in self.where)

    def above(self, expr: Expr, limit: int) -> Values | None:
        """Smallest values for which `expr`, growing in every name, exceeds `limit`; None where none does.

        Where the search is undecided (a bound within a hair of the limit), the corner it could not exclude is given.
        """
        about, wheres = self._about(expr)
        found = _Search(about, wheres).above(expr, limit)
        return None if found is None else {e.name: found.get(e.name, e.lo) for e in self.extents}

    def maximum(self, expr: Expr) -> int:
        """An upper bound of `expr`, growing in every name, over all admitted values; exact where no `where` binds, and
        near the largest value where one does."""
        about, wheres = self._about(expr)
        box = _tighten({e.name: (e.lo, e.hi) for e in about}, wheres)
        if box is None:
            return 0
        top = Ceiling(box, wheres).of(expr)
        if not wheres:
            return top
        low, search = 0, _Search(about, wheres)
        while low < top:
            middle = (low + top) // 2
            found = search.above(expr, middle)
            if not search.left:
                break
            if found is None:
                top = middle
            else:
                low = middle + 1
        return top

    def _about(self, expr: Expr) -> tuple[tuple[Extent, ...], tuple[Where, ...]]:
        """The extents that the value of an expression depends on, and the bounds that hold for them. All others can be
        at their least, or all extents are given."""
        by_name: dict[str, list[Where]] = {}
        for bound in self._binding:
            for name in bound.names():
                by_name.setdefault(name, []).append(bound)
        names, todo, linked = set[str](), list(expr.names()), set[int]()
        while todo:
            name = todo.pop()
            if name not in names:
                names.add(name)
                for bound in by_name.get(name, ()):
                    if id(bound) not in linked:
                        linked.add(id(bound))
                        todo += bound.names()
        wheres = tuple(bound for bound in self._binding if id(bound) in linked)
        rest = [bound for bound in self._binding if id(bound) not in linked]
        low = {e.name: e.lo for e in self.extents}
        if not all(w.holds(low) for w in rest):
            return self.extents, self._binding
        return tuple(e for e in self.extents if e.name in names), wheres


def _binding(extents: Iterable[Extent], wheres: Iterable[Where]) -> tuple[Where, ...]:
    """The bounds that some of the extents break, the tightest of those with equal left sides."""
    low, high = ({e.name: (e.lo, e.hi)[side] for e in extents} for side in (0, 1))
    tightest: dict[tuple[Expr, Expr | None], Where] = {}
    for bound in wheres:
        if bound.left.evaluate(high) <= bound.right.evaluate(low):
            continue
        # Of bounds by constants one is the tightest; those by extents with equal sides are the same.
        key = (bound.left, None if isinstance(bound.right, Const) else bound.right)
        known = tightest.setdefault(key, bound)
        if key[1] is None and bound.right.evaluate({}) < known.right.evaluate({}):
            tightest[key] = bound
    return tuple(tightest.values())


class _Search:
    """Searches for values of some extents within some bounds, while there are boxes `left` to look at."""

    def __init__(self, extents: tuple[Extent, ...], wheres: tuple[Where, ...]) -> None:
        self._extents, self._wheres = extents, wheres
        self._lows = {e.name: e.lo for e in extents}
        self.left = max(_BUDGET // (len(extents) + len(wheres) + 1), 2)

    def above(self, expr: Expr, limit: int) -> Values | None:
        """Smallest values for which `expr` exceeds `limit`; None where none does. With no boxes left, undecided."""
        boxes: list[Box] = [{e.name: (e.lo, e.hi) for e in self._extents}]
        while self.left and boxes:
            self.left -= 1
            box = _tighten(boxes.pop(), self._wheres)
            if box is None or Ceiling(box, self._wheres).of(expr) <= limit:
                continue
            low, high = corner(box, 0), corner(box, 1)
            if all(w.holds(high) for w in self._wheres):
                return shrink(expr, limit, high, self._lows, self._wheres)
            if expr.evaluate(low) > limit and all(w.holds(low) for w in self._wheres):
                return shrink(expr, limit, low, self._lows, self._wheres)
            if low != high:
                boxes += _halves(box)
        return corner(boxes[-1], 1) if boxes else None


def _tighten(box: Box, wheres: Iterable[Where]) -> Box | None:
    """The box without values that a bound rules out for certain; None where it is empty."""
    box = dict(box)
    for bound in wheres:
        limit = bound.right.evaluate({name: box[name][1] for name in bound.right.names()})
        low = {name: box[name][0] for name in bound.left.names()}
        if bound.left.evaluate(low) > limit:
            return None
        for name in low:
            lo, hi = box[name]
            while lo < hi:  # the largest value that holds with the others at their least
                middle = (lo + hi + 1) // 2
                if bound.left.evaluate({**low, name: middle}) <= limit:
                    lo = middle
                else:
                    hi = middle - 1
            box[name] = (box[name][0], hi)
    return box


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
