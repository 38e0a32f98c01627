"""Sources that do not load or leave the subset: an error with its place, and nothing left behind."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from a2agen.engines.cpu import simulate
from tests.engines.cpu.programs import reverse
from tests.engines.cpu.small import line_of, run, small


@pytest.mark.parametrize(
    ("snippet", "place", "reason"),
    [
        ("x = (", "x = (", "was never closed"),
        ("x = tl.histogram(offs, 4)", "histogram", "the cpu engine does not support tl.histogram"),
        ("x = libshmem_device.putmem_signal(P)", "putmem_signal", "does not support libshmem_device.putmem_signal"),
        ('x = dl.wait(words, 1, "node", "acquire")', "dl.wait", 'dl.wait with scope "node" and semantic "acquire"'),
        ('x = dl.wait(P, 1, "sys", "acquire")', "dl.wait", "dl.wait on a word of bfloat16"),
        ("x = tl.arange(0, 6)", "arange(0, 6)", "must be a power of two"),
        ("x = offs + tl.arange(0, 4)", "arange(0, 4)", "do not fit together"),
        ("if offs < 3:\n    pass", "if offs", "a block as a condition"),
        ("x = 1 // (rank - rank)", "rank - rank", "ZeroDivisionError"),
        ("assert rank > 7, 'too few'", "assert rank", "AssertionError: too few"),
        ("x = tl.load(rank)", "tl.load(rank)", "tl.load on int, which is no pointer"),
        ("while tl.load(words) == 0:\n    pass", "while", "does not support while"),
        ("x = nothing", "x = nothing", "NameError"),
    ],
)
def test_a_fault_of_the_kernel_names_line_and_reason(snippet: str, place: str, reason: str) -> None:
    program = small(snippet)
    outcome = run(program)
    assert not outcome.verified
    assert outcome.error is not None
    assert outcome.error.startswith(f"kernel.py:{line_of(program, place)}: ")
    assert reason in outcome.error


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("import triton\n", "import numpy\n", "kernel.py:1: the cpu engine does not support import of numpy"),
        ("TILE: tl.constexpr", "TILE: tl.const_expr", "kernel.py:8: the cpu engine does not support tl.const_expr"),
        ("def exchange(", "def other(", "kernel.py: no kernel exchange, which launcher.py launches; it defines other"),
        (
            "exchange(A, ",
            "exchange(A, more, ",
            "kernel.py:8: exchange does not take what launcher.py gives: missing a required argument",
        ),
        ("import triton\n", "import triton\x00\n", "null bytes"),
    ],
)
def test_a_kernel_that_does_not_load(old: str, new: str, reason: str) -> None:
    program = small()
    outcome = run(replace(program, kernel=program.kernel.replace(old, new, 1)))
    assert outcome.interleavings == 0
    assert outcome.error is not None
    assert reason in outcome.error


def test_a_launcher_without_the_class() -> None:
    outcome = run(replace(small(), launcher="cores = 1\n"))
    assert outcome.error == "launcher.py: there is no class Exchange"


def test_what_a_launcher_raises_is_an_error_with_its_line() -> None:
    outcome = run(small(before='raise ValueError("A must have shape (1, 2)")'))
    assert outcome.error is not None
    assert outcome.error.startswith("launcher.py:")
    assert outcome.error.endswith("ValueError: A must have shape (1, 2)")


def test_more_programs_than_cores_are_refused() -> None:
    program = small()
    edited = replace(program, launcher=program.launcher.replace("exchange[(self.cores,)]", "exchange[(99,)]"))
    error = run(edited).error
    assert error is not None
    assert "a launch of 99 programs" in error


def test_loading_leaves_no_modules_behind() -> None:
    before = set(sys.modules)
    assert run(small()).verified
    assert set(sys.modules) == before
    assert not [name for name in before if name.startswith("triton")]


def test_a_helper_function_of_the_kernel_has_lines_of_its_own() -> None:
    program = small("copy(scratch, pid)")
    helper = "@triton.jit\ndef copy(target, value):\n    tl.store(target, value)\n\n\n@triton.jit\ndef exchange("
    program = replace(program, kernel=program.kernel.replace("@triton.jit\ndef exchange(", helper))
    races = [f for f in run(program).findings if f.kind == "race"]
    assert [f.line for f in races] == [line_of(program, "tl.store(target, value)")]


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "i8", "i32", "i64", "f8e4m3", "f8e5m2"])
@pytest.mark.parametrize("row", [1, 9, 16])
def test_every_element_type_is_moved_bit_for_bit(dtype: str, row: int) -> None:
    assert run(small(dtype=dtype), row=row).verified


def test_a_strided_input_is_handed_over_with_gaps() -> None:
    program = small()
    exchange = reverse(("S", "D"))
    strided = replace(program, exchange=replace(exchange, source=replace(exchange.source, strided=True)))
    # The kernel takes rows to lie D apart.
    assert "wrong-output" in {f.kind for f in run(strided).findings} or "uninitialised" in {
        f.kind for f in run(strided).findings
    }
    knows = strided.kernel.replace("TILE: tl", "stride, TILE: tl").replace("A + to * D", "A + to * stride")
    launcher = strided.launcher.replace("self.S, self.D\n", "self.S, self.D, A.stride(0)\n")
    assert run(replace(strided, kernel=knows, launcher=launcher)).verified


def test_the_same_seed_gives_the_same_run() -> None:
    values = {"W": 2, "S": 1, "D": 9}
    for seed in (4, 5):
        first, again, other = (
            simulate(small(), values, seed=s, traced=True, checked=c)
            for s, c in ((seed, True), (seed, True), (seed + 2, True))
        )
        assert len(first.trace) == first.switches > 20
        assert first.trace == again.trace
        assert first.operations == again.operations
        assert first.trace != other.trace
