"""What expressions can reach within bounds, against looking at all values."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a2agen.ir.bounds import Bounds, Extent, Where
from a2agen.ir.expr import Const, Expr, Min, Sym, add, ceil_div, mul
from a2agen.source import Span

SPAN = Span(1, 1, 1, 2)
NAMES = ("W", "S", "H")
W, S, H = map(Sym, NAMES)

ranges = st.tuples(st.integers(1, 4), st.integers(0, 5)).map(lambda r: (r[0], r[0] + r[1]))
products = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map(lambda names: mul(*map(Sym, names)))
growing = st.recursive(
    st.one_of(st.sampled_from([W, S, H]), st.integers(0, 5).map(Const)),
    lambda inner: st.one_of(
        st.builds(add, inner, inner),
        st.builds(mul, inner, inner),
        st.builds(ceil_div, inner, st.integers(1, 4)),
        st.builds(Min, inner, inner),
    ),
    max_leaves=6,
)
rights = st.one_of(
    st.integers(1, 60).map(Const), st.builds(mul, st.integers(1, 3), st.sampled_from(NAMES).map(Sym)), products
)
wheres = st.lists(st.builds(lambda left, right: Where(left, right, SPAN), products, rights), max_size=3)
some_bounds = st.builds(
    lambda spans, bounds: Bounds(
        tuple(Extent(name, *span, SPAN) for name, span in zip(NAMES, spans, strict=True)), tuple(bounds)
    ),
    st.tuples(ranges, ranges, ranges),
    wheres,
)


def admitted(bounds: Bounds) -> list[dict[str, int]]:
    names = [e.name for e in bounds.extents]
    every = product(*(range(e.lo, e.hi + 1) for e in bounds.extents))
    return [v for v in (dict(zip(names, at, strict=True)) for at in every) if bounds.admits(v)]


@given(some_bounds, growing, st.integers(0, 120))
def test_above_says_whether_any_values_exceed_the_limit(bounds: Bounds, expr: Expr, limit: int):
    over = [values for values in admitted(bounds) if expr.evaluate(values) > limit]
    found = bounds.above(expr, limit)
    assert (found is not None) == bool(over)
    if found is not None:
        assert found in over


@given(some_bounds, growing, st.integers(0, 120))
def test_no_value_of_a_counterexample_can_be_smaller_alone(bounds: Bounds, expr: Expr, limit: int):
    found = bounds.above(expr, limit)
    if found is None:
        return
    for extent in bounds.extents:
        for value in range(extent.lo, found[extent.name]):
            smaller = {**found, extent.name: value}
            assert not bounds.admits(smaller) or expr.evaluate(smaller) <= limit


@given(some_bounds, growing)
def test_the_maximum_is_reached(bounds: Bounds, expr: Expr):
    reached = [expr.evaluate(values) for values in admitted(bounds)]
    assert bounds.maximum(expr) == max(reached, default=0)


def extents(*spans: tuple[str, int, int]) -> tuple[Extent, ...]:
    return tuple(Extent(*span, SPAN) for span in spans)


HUGE = Bounds(extents(("W", 2, 2**60), ("S", 1, 2**60), ("H", 1, 2**60)), (Where(mul(W, S, H), Const(2**40), SPAN),))


# Signal words of tiles, and slabs that start at multiples.
TILED = mul(ceil_div(S, 2), ceil_div(H, 2), W, 64)
ALIGNED = mul(W, ceil_div(mul(S, H), 16), 16)


@pytest.mark.parametrize("limit", [1, 2**20, 2**31 - 1, 2**39, 2**40, 2**59, 2**61])
@pytest.mark.parametrize(
    "expr", [mul(W, S, H), mul(2, W, S), add(mul(W, S), H), ceil_div(S, 8) * W, W, TILED, ALIGNED, add(TILED, ALIGNED)]
)
def test_huge_ranges_are_cheap(expr: Expr, limit: int):
    best = min(_seconds(expr, limit) for _ in range(3))
    assert best < 0.05


def test_products_behind_quotients_are_cheap():
    """Memory of slabs at multiples and of a word for each tile, over five axes whose product is bounded: without what
    the bound says of the products in quotients, this takes thousands of boxes."""
    spans = (("W", 5, 7), ("B", 5, 4096), ("S", 1, 1024), ("D", 1, 33), ("N", 1, 1024), ("H", 3, 64))
    b, d, n = map(Sym, "BDN")
    five = Bounds(extents(*spans), (Where(mul(b, S, d, n, H), Const(2**24), SPAN),))
    tiles = mul(W, ceil_div(S, 2), ceil_div(H, 2), b, d, n, 64)
    needed = add(mul(W, ceil_div(mul(b, S, d, n, H), 4), 4, 8), tiles)
    assert five.above(needed, 5 * 2**33) is None
    assert min(_seconds(needed, 5 * 2**33, five) for _ in range(3)) < 0.05


def _seconds(expr: Expr, limit: int, bounds: Bounds = HUGE) -> float:
    started = time.process_time()
    bounds.above(expr, limit)
    return time.process_time() - started


def test_a_bound_on_a_product_counts():
    assert HUGE.above(mul(W, S, H), 2**40) is None
    assert HUGE.above(mul(W, S, H), 2**40 - 1) is not None
    without = Bounds(HUGE.extents)
    assert without.above(mul(W, S, H), 2**40) == {"W": 2, "S": 1, "H": 2**39 + 1}


def test_a_bound_shows_as_written():
    assert str(Where(mul(S, H), Const(64), SPAN)) == "S * H <= 64"


def test_a_maximum_within_a_hair_of_a_bound_is_cheap():
    """A product of two, and one more term: whether the bound's own limit is reached depends on single values."""
    two = Bounds(extents(("W", 2, 8), ("S", 1, 2**31), ("H", 1, 2**31)), (Where(mul(S, H), Const(2**58), SPAN),))
    needed = add(mul(W, S, H, 2), mul(W, 256))
    started = time.process_time()
    largest = two.maximum(needed)
    assert time.process_time() - started < 1.0
    assert 8 * 2**59 <= largest <= 8 * 2**59 + 2**20


def test_a_bound_that_is_said_twice_is_one():
    """By extents, by constants: of these the tightest."""
    spans = extents(("W", 2, 8), ("S", 1, 64), ("H", 1, 64))
    by_extent, loose, tight = Where(S, H, SPAN), Where(H, Const(60), SPAN), Where(H, Const(9), SPAN)
    twice = Bounds(spans, (by_extent, loose, by_extent, tight, loose))
    assert twice.maximum(S) == twice.maximum(H) == 9
    assert twice.above(S, 4) == {"W": 2, "S": 5, "H": 5}
