"""What an expression can reach where a bound on a product is met exactly."""

from __future__ import annotations

import pytest

from a2agen.ir.bounds import Bounds, Extent, Where
from a2agen.ir.expr import Const, Sym, add, mul
from a2agen.source import Span

NOWHERE = Span(1, 1, 1, 1)
PRODUCT = mul(Sym("S"), Sym("D"))
BOUNDS = Bounds(
    tuple(Extent(name, 1, 65536, NOWHERE) for name in ("W", "S", "D")), (Where(PRODUCT, Const(2**20), NOWHERE),)
)


def test_a_product_stays_within_its_bound() -> None:
    assert BOUNDS.above(PRODUCT * 2, 2**21) is None
    assert BOUNDS.maximum(PRODUCT * 2) == 2**21


@pytest.mark.parametrize("limit", [2**20, 2**20 + 2**17])
def test_values_above_a_limit_are_admitted_and_above_it(limit: int) -> None:
    size = PRODUCT * 2
    values = BOUNDS.above(size, limit)
    assert values is not None
    assert BOUNDS.admits(values)
    assert size.evaluate(values) > limit


def test_a_sum_with_an_unbounded_term() -> None:
    size = add(PRODUCT, Sym("W"))
    assert BOUNDS.above(size, 2**20 + 65536) is None
    values = BOUNDS.above(size, 2**20)
    assert values is not None
    assert BOUNDS.admits(values)
    assert size.evaluate(values) > 2**20
