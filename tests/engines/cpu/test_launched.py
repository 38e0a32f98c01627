"""A kernel file that is not what its launcher launches: the error names the kernel or the argument, and its line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import Outcome, search
from a2agen.engines.setups import Setup
from a2agen.passes.check import Checked, check
from a2agen.source import Source

SPECS = Path(__file__).parents[3] / "specs"
SETUPS = (Setup({"W": 2, "S": 5, "H": 1, "D": 60}, 2),)
NAME, LAUNCHER = "reverse_all2all_direct", "reverse_all2all/direct/launcher.py"


@cache
def checked() -> Checked:
    path = SPECS / "reverse_all2all.a2a"
    return check(Source(path.name, path.read_text(encoding="utf-8")))


@cache
def emitted(schedule: str) -> str:
    return program_of(checked(), next(s for s in checked().schedules if s.name == schedule)).kernel


def run(kernel: str, folder: Path) -> Outcome:
    """The schedule `direct` with a kernel from a file."""
    file = folder / "edited.py"
    file.write_text(kernel, encoding="utf-8")
    schedule = next(s for s in checked().schedules if s.name == "direct")
    program = program_of(checked(), schedule, file)
    return search(replace(program, kernel_path="edited.py"), SETUPS, interleavings=1)


def changed(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert text.count(old) == 1
        return text.replace(old, new)

    return edit


def line_of(kernel: str, text: str) -> int:
    return next(n for n, line in enumerate(kernel.splitlines(), 1) if line.startswith(text))


@pytest.mark.parametrize(
    ("edit", "place", "text"),
    [
        (changed("    rank,\n", "    rank,\n    rows,\n"), "    rows,", f"takes rows, which {LAUNCHER} does not give"),
        (
            changed("    rank,\n", "    first,\n    rank,\n    W_more,\n"),
            "    first,",
            f"takes first, W_more, which {LAUNCHER} does not give",
        ),
        # Behind it stands an argument with a default, which would take the last that is given.
        (changed("    S,\n", ""), f"def {NAME}(", f"takes no S, which {LAUNCHER} gives"),
        (
            lambda text: changed("    S,\n", "")(changed("    rank,\n", "")(text)),
            f"def {NAME}(",
            f"takes no rank, S, which {LAUNCHER} gives",
        ),
        # One renamed, and one more.
        (
            lambda text: changed("    rank,\n", "    rank,\n    rows,\n")(text).replace("epochs", "counts"),
            "    rows,",
            f"takes rows, which {LAUNCHER} does not give",
        ),
    ],
)
def test_other_arguments_are_named(edit: Callable[[str], str], place: str, text: str, tmp_path: Path) -> None:
    kernel = edit(emitted("direct"))
    outcome = run(kernel, tmp_path)
    assert outcome.interleavings == 0
    assert outcome.error == f"edited.py:{line_of(kernel, place)}: {NAME} {text}"


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text,
        # A name that each argument had, for the one before it.
        lambda text: text.replace("epochs", "counts").replace("entered", "epochs"),
        lambda text: text.replace("):\n    pid", "    rows=3,\n):\n    pid", 1),
    ],
)
def test_names_and_arguments_with_a_default_are_free(edit: Callable[[str], str], tmp_path: Path) -> None:
    outcome = run(edit(emitted("direct")), tmp_path)
    assert outcome.error is None
    assert outcome.verified


def test_a_file_without_the_kernel_names_it_and_what_the_file_has(tmp_path: Path) -> None:
    missing = f"edited.py: no kernel {NAME}, which {LAUNCHER} launches; it defines "
    renamed = emitted("direct").replace(f"def {NAME}(", "def other(")
    assert run(renamed, tmp_path).error == missing + "other"
    ascend = "reverse_all2all_mte_pipelined"
    assert run(emitted("mte_pipelined"), tmp_path).error == missing + ascend
    assert run("import triton\n", tmp_path).error == missing + "none"


def test_a_second_name_for_a_kernel_will_do(tmp_path: Path) -> None:
    kernel = emitted("direct").replace(f"def {NAME}(", "def other(") + f"\n\n{NAME} = other\n"
    outcome = run(kernel, tmp_path)
    assert outcome.error is None
    assert outcome.verified
    error = run(kernel.replace("    rank,\n", "    rank,\n    rows,\n"), tmp_path).error
    line = line_of(kernel, "def other(")
    assert error == f"edited.py:{line}: other does not take what {LAUNCHER} gives: missing a required argument: 'D'"
