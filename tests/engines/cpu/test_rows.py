"""Every row of the launch-protocol table as an emitted kernel, launched back to back while shapes change.

One combination for each row and target, and some that differ in what announces; `benchmarks/rows.py` runs all of them.
"""

from __future__ import annotations

import pytest

from a2agen.passes.protocol.table import Row
from a2agen.passes.shapes import Change, change
from tests.engines.cpu import rows


def run(combination: rows.Combination) -> None:
    verdict = rows.run(combination, interleavings=2, most=30)
    assert verdict.one.error is None
    assert verdict.right, verdict
    # Without a host between launches, ranks drift.
    assert verdict.one.lead >= 1


ROWS = {f"{target}: {rows.described(row)}": (target, row) for target in rows.TARGETS for row in rows.wanted()}


@pytest.mark.parametrize(("target", "row"), ROWS.values(), ids=ROWS)
def test_a_row_is_as_safe_as_the_table_says(target: str, row: Row) -> None:
    combination = rows.first(target, row)
    assert (combination is not None) == rows.there(target, row)
    if combination is not None:
        run(combination)


OTHERS: list[tuple[str, Change]] = [
    ("h200 staged [from S H D] symmetric: notify per block, credit per peer, epoch", "same words"),
    ("h200 staged [from S H D] symmetric: notify per block, none, epoch", "fixed halves"),
    ("h200 staged [from S H D] symmetric: notify per peer, credit per peer, epoch", "any"),
    ("h200 hosted: notify per peer, credit per peer, epoch", "any"),
    ("ascend950 put and loopback: notify per block, credit per peer, epoch", "any"),
    ("ascend950 packed by notify per tile: notify per block, none, epoch", "fixed halves"),
]


@pytest.mark.parametrize(("name", "free"), OTHERS)
def test_shapes_change_as_far_as_words_and_halves_allow(name: str, free: Change) -> None:
    combination = rows.named(name)
    assert combination is not None
    assert change(combination.schedule) == free
    run(combination)
