"""How wide a kernel copies rows: as wide as their bounds prove, where no extent is a multiple of 16 elements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from a2agen.engines.ptx.shapes import shape_of
from a2agen.findings import fails
from a2agen.passes.check import check
from a2agen.source import Source
from tests.straight import straight

from .conftest import Subject, subjects

SPEC = """
exchange swap {{
  ranks W in 2..4
  dim   S in 1..1024
  dim   H in {H}
  dim   D in {D}
  {where}
  in  A : bf16 [(to S) H D]
  out C : bf16 [S (from H) D]
  case small {{ W = 2, S = 64, H = {h}, D = {d} }}
}}
"""
STRIDED = SPEC.replace("[(to S) H D]", "[(to S) H D] strided")


def subject(H: str, D: str, h: int, d: int, where: str = "", spec: str = SPEC) -> Subject:  # noqa: N803
    """The kernel for rows of h * d elements of 2 bytes, within bounds of their extents."""
    source = Source("swap.a2a", spec.format(H=H, D=D, h=h, d=d, where=where) + straight("swap", "direct", "ldst"))
    checked = check(source)
    assert not fails(checked.findings)
    (made,) = subjects(checked.schedules[0], source)
    return replace(made, shape=shape_of(made.plan, {"W": 2, "S": 64, "H": h, "D": d}))


@pytest.mark.parametrize(
    ("made", "bits"),
    [
        # Rows of 48 bytes: one extent is 8 elements of 2 bytes, at every shape.
        (subject("3..3", "8..8", 3, 8), 128),
        (subject("1..16", "8..8", 3, 8), 128),
        (subject("8..8", "3..3", 8, 3), 128),
        # No extent is, and their product is.
        (subject("2..2", "12..12", 2, 12), 128),
        (subject("1..16", "8..64", 3, 8, "where D <= 8"), 128),
        # Rows of 24 bytes, and of 6.
        (subject("3..3", "4..4", 3, 4), 64),
        (subject("1..1", "3..3", 1, 3), 16),
        # The same rows as the first, of which the bounds admit others.
        (subject("3..3", "8..9", 3, 8), 16),
        (subject("1..16", "1..64", 8, 8), 16),
        # Triton knows of an argument that it is a multiple of 16.
        (subject("1..16", "1..64", 3, 16), 128),
    ],
    ids=lambda value: " ".join(map(str, value.shape.values.values())) if isinstance(value, Subject) else str(value),
)
def test_rows_are_copied_as_wide_as_the_bounds_prove(made, bits, compilers):
    built = made.judged(made.compile(compilers))
    assert built.faults == ()
    assert (built.loads, built.stores) == ((bits,), (bits,))
    assert made.shape.bits == bits


@pytest.mark.parametrize(("d", "loads"), [(256, 128), (264, 16)])
def test_strides_are_arguments_of_which_multiples_of_16_alone_are_known(d, loads, compilers):
    """Those of a contiguous tensor here, whose innermost dimension is a row."""
    made = subject("3..3", f"{d}..{d}", 3, d, spec=STRIDED)
    built = made.judged(made.compile(compilers))
    assert built.faults == ()
    assert (built.loads, built.stores) == ((loads,), (128,))
