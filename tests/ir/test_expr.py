"""Expressions: what simplification and printing keep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a2agen.ir.expr import (
    Add,
    CeilDiv,
    Const,
    Expr,
    FloorDiv,
    Max,
    Min,
    Mod,
    Mul,
    Sub,
    Sym,
    add,
    ceil_div,
    horner,
    mul,
    show,
    substitute,
)

NAMES = ("W", "S", "H", "i")
FUNCTIONS = {"cdiv": lambda a, b: -(-a // b), "min": min, "max": max}

positive = st.one_of(st.integers(1, 9).map(Const), st.sampled_from(NAMES).map(Sym))
leaves = st.one_of(st.integers(0, 9).map(Const), st.sampled_from(NAMES).map(Sym))
values = st.fixed_dictionaries({name: st.integers(1, 50) for name in NAMES})


def plain(children: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    """Trees as they are, without simplification; divisors are names and positive numbers."""
    several = st.lists(children, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        several.map(Add),
        several.map(Mul),
        st.builds(Sub, children, children),
        st.builds(Min, children, children),
        st.builds(Max, children, children),
        *(st.builds(kind, children, positive) for kind in (FloorDiv, CeilDiv, Mod)),
    )


trees = st.recursive(leaves, plain, max_leaves=12)


@given(trees, values)
def test_printed_text_reads_the_same_in_python(expr, at):
    assert eval(show(expr), {**FUNCTIONS, **at}) == expr.evaluate(at)


@given(trees, values)
def test_simplification_keeps_the_value(expr, at):
    """`substitute` builds the tree anew with the simplifying operators."""
    assert substitute(expr, {}).evaluate(at) == expr.evaluate(at)


@given(trees, values, st.integers(1, 9))
def test_substitution_is_evaluation_at_what_is_put_in(expr, at, number):
    assert substitute(expr, {"H": Const(number)}).evaluate(at) == expr.evaluate({**at, "H": number})


@given(trees)
def test_names_are_those_that_the_value_needs(expr):
    used = set(expr.names())
    expr_values = dict.fromkeys(used, 2)
    expr.evaluate(expr_values)
    for name in used:
        with pytest.raises(KeyError):
            expr.evaluate({n: v for n, v in expr_values.items() if n != name})


W, S, H = Sym("W"), Sym("S"), Sym("H")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (W + 0, "W"),
        (0 + W, "W"),
        (W * 1, "W"),
        (W * 0, "0"),
        (W // 1, "W"),
        (W % 1, "0"),
        (ceil_div(W, 1), "W"),
        (ceil_div(7, 2), "4"),
        (W + 1 + S + 2, "W + S + 3"),
        (2 * W * S * 8, "16 * W * S"),
        (W * 2 * S * 8, "W * 16 * S"),
        ((W + 1) * S, "(W + 1) * S"),
        (S * (W + 1), "S * (W + 1)"),
        (W - (S - H), "W - (S - H)"),
        (W - S - H, "W - S - H"),
        (W - (S + H), "W - (S + H)"),
        (W // (S // H), "W // (S // H)"),
        (W // S // H, "W // S // H"),
        (W // S * H, "W // S * H"),
        (H * (W // S), "H * (W // S)"),
        (W % S % H, "W % S % H"),
        (W * (S % H), "W * (S % H)"),
        (ceil_div(W + 1, S), "cdiv(W + 1, S)"),
        (Min(W - 1, S) * 2, "min(W - 1, S) * 2"),
        (Const(-1) * W, "(-1) * W"),
        (W * Const(-1), "W * (-1)"),
        (horner([(Const(0), W), (S, S), (H, H)]), "S * H + H"),
    ],
)
def test_texts(expr, text):
    assert str(expr) == text


def test_other_words_for_functions_and_names():
    assert show(ceil_div(W, S) + Min(W, S), {"cdiv": "tl.cdiv", "min": "tl.minimum", "W": "ranks"}) == (
        "tl.cdiv(ranks, S) + tl.minimum(ranks, S)"
    )


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 4)), min_size=1, max_size=4), values)
def test_row_major_offsets_count_every_place_once(axes, at):
    """The offset of the last place is one less than how many places there are."""
    extents = [extent for extent, _ in axes]
    last = horner([(Const(n - 1), Const(n)) for n in extents])
    assert last.evaluate(at) == mul(*extents).evaluate(at) - 1


def test_sums_and_products_of_nothing():
    assert (add(), mul()) == (Const(0), Const(1))


@pytest.mark.parametrize(
    ("total", "text"),
    [
        (add(Sym("W"), Sym("W")), "2 * W"),
        (add(Sym("W"), Sym("S"), 2 * Sym("W"), 1), "3 * W + S + 1"),
        (add(mul(Sym("S"), 4, Sym("W")), mul(Sym("S"), Sym("W"))), "5 * S * W"),
        (add(mul(Sym("S"), Sym("W")), mul(Sym("W"), Sym("S"))), "S * W + W * S"),
        (add(mul(Sym("W"), 2), Sym("S")), "W * 2 + S"),
    ],
)
def test_equal_terms_of_a_sum_are_one(total: Expr, text: str):
    assert str(total) == text
