"""What a launcher says of wrong arguments: what was wanted, and what was found."""

from __future__ import annotations

import numpy as np
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


@pytest.mark.parametrize("value", [2, 8, 5, np.int64(3), np.uint8(8)])
def test_an_extent_within_its_bounds(value):
    extent = runtime.check_extent("W", value, 2, 8)
    assert (extent, type(extent)) == (value, int)


@pytest.mark.parametrize("value", [1, 9, -3, 2.0, "4", None, True, np.int64(9), np.float32(4)])
def test_an_extent_outside_or_of_another_type(value):
    assert error(runtime.check_extent, "W", value, 1 if value is True else 2, 8) == (
        f"W must be an integer in {1 if value is True else 2}..8, found {value!r}"
    )


def test_a_bound_of_the_spec():
    runtime.check_bound("S * H <= 64", 64, 64, S=32, H=2)
    assert error(runtime.check_bound, "S * D <= 100", 104, 100, S=8, D=13) == (
        "the spec wants S * D <= 100, found 8 * 13 = 104"
    )
    assert error(runtime.check_bound, "S <= 2 * H", 8, 6, S=8, H=3) == "the spec wants S <= 2 * H, found 8, more than 6"
    assert error(runtime.check_bound, "cdiv(formula, 2) <= 3", 4, 3, formula=8) == (
        "the spec wants cdiv(formula, 2) <= 3, found cdiv(8, 2) = 4"
    )


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


@pytest.mark.parametrize(("value", "found"), [(None, "None"), ([1, 2], "list"), (np.zeros((6, 2)), "ndarray")])
def test_what_is_no_tensor(value, found):
    message = f"A must be a tensor of shape (6, 2), found {found}"
    assert error(runtime.check_tensor, "A", value, *GOOD.values()) == message
    assert "lies in symmetric memory" in error(runtime.check_out, "C", value, tensor()) or value is None


def test_an_output_lies_apart_from_the_input():
    source = tensor(address=100)  # 24 bytes
    for address, apart in ((76, True), (77, False), (100, False), (123, False), (124, True)):
        message = error(runtime.check_apart, "A", source, "C", tensor(address=address))
        wanted = "C overlaps A in memory: pass a copy of A, or another tensor as `out`"
        assert message == ("" if apart else wanted)
    gaps = tensor(address=100, strides=(4, 1))  # its last element begins at 100 + 2 * 21
    assert error(runtime.check_apart, "A", gaps, "C", tensor(address=143)) != ""
    assert error(runtime.check_apart, "A", gaps, "C", tensor(address=144)) == ""


def test_a_strided_tensor_where_the_spec_says_so():
    runtime.check_tensor("A", tensor(strides=(4, 1)), *GOOD.values(), strided=True)


def test_an_output_that_peers_write_to_is_the_operators_own():
    own = tensor(address=1)
    runtime.check_out("C", None, own)
    runtime.check_out("C", tensor(address=1), own)
    assert error(runtime.check_out, "C", tensor(address=2), own) == (
        "C lies in symmetric memory of the operator: pass out=None or the tensor it returned"
    )
