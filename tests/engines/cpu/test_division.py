"""Remainder and quotient of run-time integers and of blocks are C's; those of constants are Python's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from a2agen.engines.cpu.language import arange, cdiv
from a2agen.engines.cpu.scalars import Int64, truncated
from tests.engines.cpu.small import kinds, line_of, run, small

divisors = st.integers(-9, 9).filter(bool)


@given(st.integers(-99, 99), divisors)
def test_a_quotient_is_cut_towards_zero(a: int, b: int) -> None:
    assert truncated(a, b) == math.trunc(a / b)
    assert type(truncated(Int64(a), b)) is Int64


@given(st.integers(-99, 99), divisors)
def test_blocks_divide_as_c_does(start: int, n: int) -> None:
    block: Any = arange(0, 8) + start
    expected = [start + k for k in range(8)]
    np.testing.assert_array_equal((block % n).dense(), [math.fmod(k, n) for k in expected])
    np.testing.assert_array_equal((block // n).dense(), [math.trunc(k / n) for k in expected])
    odd = block * 2 + 1
    np.testing.assert_array_equal((n % odd).dense(), [math.fmod(n, 2 * k + 1) for k in expected])
    np.testing.assert_array_equal((n // odd).dense(), [math.trunc(n / (2 * k + 1)) for k in expected])


def test_cdiv_of_a_negative_integer_is_cut_too() -> None:
    assert (cdiv(-9, 4), cdiv(-9, 1), cdiv(9, 4)) == (-1, -9, 3)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("(0 - D) % 4", "-1"),
        ("(0 - D) // 4", "-2"),
        ("D % (0 - 4)", "1"),
        ("-1 % 4", "3"),
        ("-1 // 4", "-1"),
        ("-1 % TILE", "15"),
        ("(2 - TILE) % 5", "1"),
        ("NEGATIVE % TILE", "13"),
        ("NEGATIVE % D", "-3"),
        ("(-D + TILE * 2) % TILE", "7"),
        ("((0 - D) % 4 + 4) % 4", "3"),
    ],
)
def test_constants_are_left_to_python(value: str, expected: str) -> None:
    program = small(f"tl.device_assert({value} == {expected}, 'another value')", start="NEGATIVE: tl.constexpr = -3")
    assert run(program, launches=1, interleavings=1).error is None
    wrong = small(f"tl.device_assert({value} != {expected}, 'another value')", start="NEGATIVE: tl.constexpr = -3")
    assert "another value" in str(run(wrong, launches=1, interleavings=1).error)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("x = TILE - 17\nx = x % TILE", "-1"),
        ("x = 0 - D\nx %= 4", "-1"),
        ("x = 0 - D\nx //= 4", "-2"),
        ("for k in tl.static_range(1):\n    x = (k - 1) % TILE", "15"),
        ("for k in range(1):\n    x = (k - 1) % TILE", "-1"),
    ],
)
def test_what_a_name_is_given_is_no_constant(lines: str, expected: str) -> None:
    program = small(f"{lines}\ntl.device_assert(x == {expected}, 'another value')")
    assert run(program, launches=1, interleavings=1).error is None
    wrong = small(f"{lines}\ntl.device_assert(x != {expected}, 'another value')")
    assert "another value" in str(run(wrong, launches=1, interleavings=1).error)


PEER = "to = {peer}\nif pid == 0:\n    dl.notify(words + 8, to, signal=1, sig_op='set', comm_scope='inter_node')\n"
PEER += "    t = dl.wait(words + 8, 1, 'sys', 'acquire', waitValue=1)\n"
PEER += "    dl.notify(dl.consume_token(words, t) + 16, rank, signal=0)"


@pytest.mark.parametrize("peer", ["(rank - 1) % W", "(rank - 1 + W * 0) % W"])
def test_a_negative_peer_is_found_and_its_remainder_named(peer: str) -> None:
    program = small(PEER.format(peer=peer))
    (finding,) = (f for f in run(program, launches=1).findings if f.kind == "out-of-bounds")
    assert finding.line == line_of(program, "dl.notify(words + 8")
    assert f"names rank -1 of 2; the remainder at line {line_of(program, 'to = (')} is negative" in finding.text
    assert "(rank - i + W) % W" in finding.text


@pytest.mark.parametrize("peer", ["(rank - 1 + W) % W", "((rank - 1) % W + W) % W", "rank ^ 1"])
def test_the_ways_out_are_clean(peer: str) -> None:
    assert kinds(run(small(PEER.format(peer=peer)), launches=1)) == set()


def test_a_negative_index_names_the_remainder() -> None:
    program = small("k = (0 - D) % 4\nx = tl.load(scratch + k)")
    (finding,) = run(program, launches=1).findings
    assert "reaches scratch[-1]" in finding.text
    assert f"the remainder at line {line_of(program, 'k = (')} is negative" in finding.text
    beyond = run(small("k = (0 - D) % 4\nx = tl.load(scratch + 64)"), launches=1).findings
    assert ["remainder" in f.text for f in beyond if f.kind == "out-of-bounds"] == [False]
