"""Outside the documented subset of hand-tuned kernels: the error names line and construct, and nothing is run."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from a2agen.cli.app import run as command
from a2agen.engines.cpu.loader import compiled
from tests.engines.cpu.programs import Vendor
from tests.engines.cpu.small import line_of, run, small

ROOT = Path(__file__).parents[3]
SPEC = ROOT / "specs" / "reverse_all2all.a2a"
KERNEL = ROOT / "generated" / "reverse_all2all" / "mte_pipelined" / "kernel.py"

# What stands inside the kernel, the text that marks its line, and the construct as the error names it.
INSIDE = [
    ("while pid < 0:\n    pass", "while", "while"),
    ("try:\n    x = 1\nexcept ValueError:\n    x = 2", "try", "try"),
    ("f = lambda x: x", "lambda", "lambda"),
    ("class X:\n    pass", "class", "class"),
    ("def inner(x):\n    return x", "inner", "a function inside a function"),
    ("async def f():\n    pass", "async", "async"),
    ("with pid:\n    pass", "with", "with"),
    ("raise ValueError(1)", "raise", "raise"),
    ("yield pid", "yield", "yield"),
    ("global Z", "global", "global"),
    ("nonlocal Z", "nonlocal", "nonlocal"),
    ("del pid", "del pid", "del"),
    ("match pid:\n    case 0:\n        pass", "match", "match"),
    ("x = [i for i in range(3)]", "i for", "a comprehension"),
    ("x = {1: 2}", "{1", "a dict"),
    ("x = {1, 2}", "{1", "a set"),
    ("x = (y := 3)", ":=", "the operator :="),
    ("x = offs @ offs", "@ offs", "the operator @"),
    ("x = offs ** 2", "**", "the operator ** on a block"),
    ("x = offs / 2", "/ 2", "a block of float64"),
    ("x = min(*(1, 2))", "*(", "the operator * in front of an argument"),
    ("for i in range(3):\n    if i == 1:\n        break", "break", "break"),
    ("for i in range(3):\n    continue", "continue", "continue"),
    ("for i in range(3):\n    pass\nelse:\n    x = 1", "x = 1", "else of a loop"),
    ("for i in (1, 2):\n    pass", "(1, 2)", "a loop over anything but range, tl.range, tl.static_range"),
    ("import os", "import os", "import inside a function"),
    ("import numpy as np", "numpy", "import inside a function"),
    ("print(pid)", "print", "print"),
    ("x = open('x')", "open", "open"),
    ("x = eval('1')", "eval", "eval"),
    ("x = getattr(tl, 'load')", "getattr", "getattr"),
    ("x = __import__('os')", "__import__", "__import__"),
    ("x = sorted((2, 1))", "sorted", "sorted"),
    ("tl.load = 3", "tl.load = 3", "an assignment to tl.load, which is no name"),
    ("x = tl.make_block_ptr(A, (1,), (1,), (0,), (1,), (0,))", "make_block_ptr", "tl.make_block_ptr"),
    ("x = tl.dot(offs, offs)", "tl.dot", "tl.dot"),
    ("x = tl.sum(offs)", "tl.sum", "tl.sum"),
    ("x = tl.atomic_add(words, 1)", "atomic_add", "tl.atomic_add"),
    ("x = tl.atomic_cas(words, 0, 1)", "atomic_cas", "tl.atomic_cas"),
    ("x = tl.no_such_thing(1)", "no_such", "tl.no_such_thing"),
    ("x = dl.no_such_thing(1)", "no_such", "dl.no_such_thing"),
    ("x = libshmem_device.signal_op(words, 1, 1, 0)", "signal_op", "libshmem_device.signal_op"),
    ("x = tl.load(A + offs, mask=mask, boundary_check=(0,))", "boundary", "tl.load(boundary_check=...)"),
    ("x = offs.sum()", "offs.sum", ".sum of a block"),
    ("x = A.sum", "A.sum", ".sum of a pointer"),
    ("x = offs[0]", "offs[0]", "the index 0 of a block"),
    ("x = mask and True", "mask and", "a block as a condition"),
]
# What stands at the top of the file, instead of `import triton`.
OUTSIDE = [
    ("import numpy", "numpy", "import of numpy"),
    ("import os", "import os", "import of os"),
    ("from pathlib import Path", "pathlib", "import of pathlib"),
    ("try:\n    import x\nexcept ImportError:\n    x = 1", "try", "try outside a function"),
    ("class Tile:\n    pass", "class", "class outside a function"),
    ("for i in range(3):\n    pass", "for i", "for outside a function"),
    ("if True:\n    x = 1", "if True", "if outside a function"),
    ("x = open('y')", "open", "open"),
    ("def host(x):\n    return x", "def host", "the function host without @triton.jit"),
]


@pytest.mark.parametrize(("snippet", "place", "what"), INSIDE)
def test_inside_a_kernel(snippet: str, place: str, what: str) -> None:
    program = small(snippet)
    outcome = run(program)
    assert not outcome.verified
    assert (outcome.error or "").startswith(
        f"kernel.py:{line_of(program, place)}: the cpu engine does not support {what}"
    )


@pytest.mark.parametrize(("snippet", "place", "what"), OUTSIDE)
def test_at_the_top_of_the_file(snippet: str, place: str, what: str) -> None:
    program = small()
    program = replace(program, kernel=f"{snippet}\n{program.kernel}")
    outcome = run(program)
    assert outcome.interleavings == 0
    assert outcome.error == f"kernel.py:{line_of(program, place)}: the cpu engine does not support {what}"


@pytest.mark.parametrize(
    "snippet",
    [
        "x, y = 1, 2\nx += y",
        "x: tl.constexpr = 3",
        "x = pid if pid > 0 else 1",
        "x = min(pid, 2) + max(1, 2) + abs(pid) + int(pid)",
        "assert pid >= 0, f'core {pid}'",
        "for i in tl.static_range(3):\n    x = i",
        "for i in tl.range(0, 3, num_stages=2):\n    x = i",
        "x = tl.load(A + offs, mask=mask, other=0.0, cache_modifier='.cg', eviction_policy='evict_first')",
        "x = ~mask & (offs > 1)",
        "x = offs.to(tl.float32)\ny = tl.cdiv(pid, 2)",
        "if pid == 0:\n    return",
        "'''A note.'''",
        "tl.device_print('core', pid)",
    ],
)
def test_what_is_inside_the_subset_runs(snippet: str) -> None:
    assert run(small(snippet)).error is None


def test_what_is_computed_before_kernels_is_inside() -> None:
    program = small("x = ROWS")
    assert run(replace(program, kernel=f'"""A kernel."""\nROWS = 4\n{program.kernel}')).verified


def test_the_line_of_the_first_construct_is_named() -> None:
    program = small("x = 1\nprint(x)\nwhile x:\n    pass")
    assert f"kernel.py:{line_of(program, 'print')}: " in (run(program).error or "")


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [("lane = pid // 2", "lane = eval('pid // 2')", "eval"), ("@triton.jit", "@other.jot", "without @triton.jit")],
)
def test_simulate_ends_with_2_and_one_line(tmp_path, capsys, old, new, what) -> None:
    text = KERNEL.read_text(encoding="utf-8")
    assert old in text
    kernel = tmp_path / "edited.py"
    kernel.write_text(text.replace(old, new, 1), encoding="utf-8")
    arguments = ["--kernel", str(kernel), "--spec", str(SPEC), "--schedule", "mte_pipelined", "--interleavings", "1"]
    assert command(["simulate", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    assert f"{kernel}:" in shown.err
    assert what in shown.err


def test_generated_kernels_are_inside() -> None:
    kernels = sorted((ROOT / "generated").glob("*/*/kernel.py"))
    assert len(kernels) > 5
    for kernel in kernels:
        compiled(kernel.read_text(encoding="utf-8"), str(kernel), True)


def test_what_the_document_names_is_there() -> None:
    """The calls that docs/hand-tuned.md lists are members of the stand-ins, for one vendor at least."""
    document = (ROOT / "docs" / "hand-tuned.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(tl|dl|libshmem_device)` \| (.*) \|$", document, re.MULTILINE))
    assert len(rows) == 3
    for module, row in rows.items():
        names = re.findall(r"`(\w+)`", row)
        assert len(names) > 5
        # One name at a time, so that the first that is not there is the one that is reported.
        for name in names:
            programs = [small(f"x = {module}.{name}", vendor=vendor) for vendor in get_args(Vendor)]
            assert any(run(program, launches=1, interleavings=1).error is None for program in programs), name
