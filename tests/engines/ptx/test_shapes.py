"""Kernels are compiled for what their launchers launch: the same tiles, programs and arguments."""

from __future__ import annotations

from math import prod
from pathlib import Path

import pytest

from a2agen.emit.triton_dist.backend import kernel_text, launcher_text
from a2agen.engines.ptx.build import job, left_out
from a2agen.engines.ptx.shapes import ROW_BYTES, shapes
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.source import Source
from tests.runtime.fakes import Ranks, Tensor, launcher

SPECS = Path(__file__).parents[3] / "specs"


def of_nvidia() -> list[tuple[Schedule, Source]]:
    found = []
    for path in sorted(SPECS.glob("*.a2a")):
        source = Source(str(path), path.read_text(encoding="utf-8"))
        found += [
            (s, source)
            for s in check(source).schedules
            if s.target.vendor == "nvidia" and s.emit == "triton_dist" and left_out(lower(s)) is None
        ]
    return found


CASES = of_nvidia()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].exchange.name}-{case[0].name}")
def test_arguments_are_those_of_the_launcher(case):
    schedule, source = case
    plan = lower(schedule)
    text = kernel_text(plan, source)
    for shape in shapes(plan):
        ranks = Ranks(size=shape.values[schedule.exchange.ranks])
        with launcher(launcher_text([plan], source), [k.name for k in plan.kernels], ranks.log) as exchange:
            operator = exchange(ranks, **{name: shape.values[name] for name in schedule.exchange.dims})
            operator(Tensor(_input(schedule, shape.values), _dtype(schedule), address=1 << 50))
        launches = [entry for entry in ranks.log if entry[0] == "launch"]
        assert len(launches) == len(plan.kernels)
        for kernel, (_, grid, given, options) in zip(plan.kernels, launches, strict=True):
            wanted = job(plan, kernel, shape, text)
            assert [a if isinstance(a, int) else a.dtype for a in given] == list(wanted.arguments)
            assert options == wanted.options
            if plan.tuned:
                assert grid == (shape.programs,)
            else:
                assert grid[0] <= shape.programs


def _input(schedule: Schedule, values: dict[str, int]) -> tuple[int, ...]:
    return tuple(
        prod(values[schedule.exchange.ranks if axis in ("to", "from") else axis] for axis in group)
        for group in schedule.source.layout.factors
    )


def _dtype(schedule: Schedule) -> str:
    return {"bf16": "torch.bfloat16", "f32": "torch.float32"}[schedule.source.dtype]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].exchange.name}-{case[0].name}")
def test_shapes_are_within_the_bounds_and_of_several_kinds(case):
    schedule = case[0]
    plan = lower(schedule)
    found = shapes(plan)
    assert all(schedule.exchange.bounds.admits(shape.values) for shape in found)
    assert len({shape.variant for shape in found}) == len(found)
    if plan.tuned:
        rows = {shape.row_bytes for shape in found}
        longest = 8192 if schedule.exchange.name == "block_transpose" else max(ROW_BYTES)
        assert {r for r in rows if r in ROW_BYTES} == {r for r in ROW_BYTES if r <= longest}
        # With rows of many factors of two and with odd ones, each as wide as it can be.
        assert {shape.bits for shape in found} == {128, schedule.source.element_bytes * 8}
        assert {shape.bits for shape in found if shape.row_bytes % 16} == {schedule.source.element_bytes * 8}
        assert len({tuple(shape.constants.values()) for shape in found}) > 2


def test_a_shape_that_is_one_more_kind_for_triton_is_another_variant():
    schedule = next(s for s, _ in CASES if (s.exchange.name, s.name) == ("reverse_all2all", "direct"))
    shape = shapes(lower(schedule))[0]
    for name, value in (("D", 1), ("D", 48), ("D", 17)):
        other = type(shape)({**shape.values, name: value}, shape.constants, shape.programs)
        assert (other.variant == shape.variant) == (value == 48)
