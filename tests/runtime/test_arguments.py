"""What a launcher says of wrong arguments: what was wanted, and what was found."""

from __future__ import annotations

import pytest

from a2agen import runtime
from tests.runtime.fakes import Tensor


def error(check, *arguments, **options) -> str:
    """What a check says; empty where it passes."""
    try:
        check(*arguments, **options)
    except ValueError as fault:
        return str(fault)
    return ""


@pytest.mark.parametrize(("left", "right", "up"), [(0, 4, 0), (1, 4, 1), (4, 4, 1), (5, 4, 2), (7, 1, 7)])
def test_division_rounds_up(left, right, up):
    assert runtime.cdiv(left, right) == up


@pytest.mark.parametrize("value", [2, 8, 5])
def test_an_extent_within_its_bounds(value):
    runtime.check_extent("W", value, 2, 8)


@pytest.mark.parametrize("value", [1, 9, -3, 2.0, "4", None, True])
def test_an_extent_outside_or_of_another_type(value):
    assert error(runtime.check_extent, "W", value, 1 if value is True else 2, 8) == (
        f"W must be an integer in {1 if value is True else 2}..8, found {value!r}"
    )


def test_a_bound_of_the_spec():
    runtime.check_bound("S * H <= 64", True)
    assert error(runtime.check_bound, "S * H <= 64", False) == "the extents break the spec's bound S * H <= 64"


GOOD = {"shape": (6, 2), "dtype": "torch.bfloat16", "device": "npu:0"}


def tensor(**changes) -> Tensor:
    return Tensor(**{**GOOD, **changes})


def test_a_tensor_as_wanted():
    runtime.check_tensor("A", tensor(), *GOOD.values())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": (6, 3)}, "A must have shape (6, 2), found (6, 3)"),
        ({"shape": (12,)}, "A must have shape (6, 2), found (12,)"),
        ({"dtype": "torch.float16"}, "A must have dtype torch.bfloat16, found torch.float16"),
        ({"device": "npu:1"}, "A must be on npu:0, found npu:1"),
        ({"strides": (4, 1)}, "A must be contiguous, found strides (4, 1) for shape (6, 2)"),
    ],
)
def test_a_tensor_that_differs(changes, message):
    assert error(runtime.check_tensor, "A", tensor(**changes), *GOOD.values()) == message


def test_a_strided_tensor_where_the_spec_says_so():
    runtime.check_tensor("A", tensor(strides=(4, 1)), *GOOD.values(), strided=True)


def test_an_output_that_peers_write_to_is_the_operators_own():
    own = tensor(address=1)
    runtime.check_out("C", None, own)
    runtime.check_out("C", tensor(address=1), own)
    assert error(runtime.check_out, "C", tensor(address=2), own) == (
        "C lies in symmetric memory of the operator: pass out=None or the tensor it returned"
    )
