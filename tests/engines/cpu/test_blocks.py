"""Affine blocks and box masks give what index arrays give."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from a2agen.engines.cpu import dtypes
from a2agen.engines.cpu.affine import Affine, Mask
from a2agen.engines.cpu.blocks import Block, Values
from a2agen.engines.cpu.language import arange, cast, cdiv, where
from a2agen.engines.cpu.scalars import Int64

small = st.integers(-20, 20)


def dense(value: Any) -> Any:
    return value.dense() if isinstance(value, Block) else value


@st.composite
def blocks(draw: st.DrawFn, axes: int = 2) -> tuple[Any, Any]:
    """An affine block and the same as an array, by the same steps."""
    block: Any = 0
    array: Any = 0
    for axis in range(axes):
        n = draw(st.sampled_from([1, 2, 4, 8]))
        scale, shift = draw(small), draw(small)
        key = tuple(slice(None) if k == axis else None for k in range(axes))
        block = block + (arange(0, n) * scale + shift)[key]
        array = array + (np.arange(n) * scale + shift)[key]
    return block, array


@given(blocks(), blocks(), small, small)
def test_sums_and_products_stay_affine_and_right(a: Any, b: Any, k: int, m: int) -> None:
    (block, array), (other, other_array) = a, b
    try:
        expected = m - array * k + other_array
    except ValueError:
        return
    result = m - block * k + other
    assert type(result) is Affine
    np.testing.assert_array_equal(result.dense(), expected)


@given(blocks(1), blocks(1), small, small)
def test_masks_of_comparisons_are_boxes(a: Any, b: Any, low: int, high: int) -> None:
    (rows, row_array), (columns, column_array) = a, b
    mask = (rows < high)[:, None] & (columns >= low)[None, :]
    assert type(mask) is Mask
    expected = (row_array < high)[:, None] & (column_array >= low)[None, :]
    np.testing.assert_array_equal(mask.dense(), expected)
    np.testing.assert_array_equal((rows <= low).dense(), row_array <= low)
    np.testing.assert_array_equal((rows > low).dense(), row_array > low)


@given(blocks(), small, st.integers(1, 9))
def test_what_is_not_affine_is_computed(a: Any, k: int, n: int) -> None:
    block, array = a
    for result, expected in (
        (block // n, (array - np.fmod(array, n)) // n),
        (block % n, np.fmod(array, n)),
        (block == k, array == k),
        (~(block < k), ~(array < k)),
        (block * block, array * array),
        (where(block < k, block, 0), np.where(array < k, array, 0)),
    ):
        np.testing.assert_array_equal(dense(result), expected)


@given(st.integers(0, 1000), st.integers(1, 50))
def test_cdiv_rounds_up(a: int, b: int) -> None:
    assert cdiv(a, b) == -(-a // b)


@given(st.integers(-(2**70), 2**70))
def test_casts_of_scalars_wrap(value: int) -> None:
    assert cast(value, dtypes.I32) == ((value + 2**31) % 2**32) - 2**31
    wide = cast(value, dtypes.I64)
    assert type(wide * 2 + 1) is Int64
    assert type(3 * wide) is Int64


@settings(max_examples=20)
@given(st.lists(st.floats(width=16, allow_nan=False), min_size=1, max_size=8))
def test_values_keep_bits_and_convert(numbers: list[float]) -> None:
    array = np.array(numbers, np.float16)
    np.testing.assert_array_equal(Values.of(array).to(dtypes.F32).dense(), array.astype(np.float32))
