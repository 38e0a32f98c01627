"""A kernel whose loops do not end: it ends, and says which."""

from __future__ import annotations

import time

import pytest

from a2agen.engines.cpu import Program, simulate
from tests.engines.cpu.small import line_of, run, small

LONG = "range(2**62)"
# What a spinning kernel has, and the text in the line that is to be named.
SPINS = {
    "nothing in it": ("for i in {loop}:\n    pass", "for i in"),
    "a number": ("x = 0\nfor i in {loop}:\n    x += i", "for i in"),
    "a block": ("for i in {loop}:\n    x = offs + i", "for i in"),
    "an operation": ("for i in {loop}:\n    libshmem_device.fence()", "for i in"),
    "a loop of Triton's": ("for i in tl.{loop}:\n    pass", "for i in"),
    "one core of them": ("if pid == 2:\n    for i in {loop}:\n        pass", "for i in"),
    "loops that are short alone": (
        "for i in range(9000):\n    for j in range(9000):\n        for k in range(9000):\n            pass",
        "for k in",
    ),
    "loops without a turn": (
        "for i in range(9000):\n    for j in range(9000):\n        for k in range(0):\n            x = k",
        "",
    ),
    "more than a machine counts": ("for i in range(2**200):\n    pass", "for i in"),
}


@pytest.mark.parametrize("name", SPINS)
def test_a_loop_that_does_not_end_is_found_within_seconds(name: str) -> None:
    snippet, text = SPINS[name]
    program = small(snippet.format(loop=LONG))
    begun = time.process_time()
    outcome = run(program, interleavings=20)
    assert time.process_time() - begun < 10
    assert outcome.error is None
    (finding,) = [f for f in outcome.findings if f.kind == "endless"]
    # Those that follow would take as long.
    assert outcome.interleavings == 1
    assert "a loop does not end" in finding.text
    if text:
        assert finding.line == line_of(program, text)
    if name == "one core of them":
        assert finding.core == 2


def test_it_is_found_without_checks_too() -> None:
    outcome = simulate(small(SPINS["a number"][0].format(loop=LONG)), {"W": 2, "S": 1, "D": 9}, checked=False)
    assert {f.kind for f in outcome.findings} == {"endless"}
    assert not outcome.verified


HELPER = """
@triton.jit
def twice(n):
    if n > 0:
        twice(n - 1)
        twice(n - 1)


@triton.jit
def exchange("""


def with_helper(snippet: str) -> Program:
    program = small(snippet)
    kernel = program.kernel.replace("\n@triton.jit\ndef exchange(", HELPER)
    return Program(kernel, "kernel.py", program.launcher, "launcher.py", program.exchange)


def test_a_helper_that_calls_itself_again_and_again_is_found() -> None:
    program = with_helper("twice(60)")
    (finding,) = run(program).findings
    assert (finding.kind, finding.line) == ("endless", line_of(program, "twice(n - 1)"))
    assert run(with_helper("twice(6)")).verified


def test_a_helper_that_calls_itself_without_end_is_an_error() -> None:
    program = with_helper("twice(1 << 60)")
    outcome = run(program)
    assert outcome.error is not None
    assert "kernel.py" in outcome.error
    assert "recursion" in outcome.error


def test_work_of_any_size_is_no_endless_loop() -> None:
    """Element by element, by one core, in two phases: as many turns as any sound kernel takes."""
    snippet = "if pid == 0:\n    for i in range(2 * W * S * D):\n        x = i"
    values = {"W": 2, "S": 1, "D": 100_000}
    program = small(snippet)
    wide = Program(
        program.kernel.replace("TILE: tl.constexpr = 16", "TILE: tl.constexpr = 131072"),
        *("kernel.py", program.launcher, "launcher.py", program.exchange),
    )
    assert simulate(wide, values, launches=2).verified
    # Each launch has its own bound, and this is far above it.
    twice = wide.kernel.replace("2 * W * S * D", "4 * W * S * D")
    outcome = simulate(Program(twice, "kernel.py", wide.launcher, "launcher.py", wide.exchange), values, launches=2)
    assert {f.kind for f in outcome.findings} == {"endless"}
