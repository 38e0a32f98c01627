"""Every exchange that the language can say, bit for bit: layouts of one to five axes in any order, element types,
numbers of ranks that are no power of two, axes of 1, tails in every axis, strided inputs."""

from __future__ import annotations

import re

import pytest

from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import Outcome, simulate
from a2agen.engines.small import small_cores
from a2agen.findings import Severity
from a2agen.ir.model import DTYPES
from a2agen.passes.check import check
from a2agen.source import Source
from a2agen.targets import profile

TARGETS = ("ascend910b", "ascend910c", "ascend950", "h200")
LINKS = {"h200": "ldst"}

LAYOUTS = {
    "1-D forward": ("[(S to)]", "[(from S)]"),
    "1-D reverse": ("[(to S)]", "[(S from)]"),
    "1-D blocks": ("[(to S)]", "[(from S)]"),
    "2-D forward": ("[S (to D)]", "[(from S) D]"),
    "2-D reverse": ("[(to S) D]", "[S (from D)]"),
    "2-D block transpose": ("[(to S) D]", "[D (from S)]"),
    "3-D forward": ("[S (to H) D]", "[(from S) H D]"),
    "3-D reverse": ("[(to S) H D]", "[S (from H) D]"),
    "3-D batched": ("[B (to S) D]", "[B S (from D)]"),
    "3-D ranks alone": ("[to S D]", "[S from D]"),
    "4-D sequence to heads": ("[B S (to H) D]", "[B (from S) H D]"),
    "4-D batched transpose": ("[B (to S) H D]", "[B H (from S) D]"),
    "5-D forward": ("[B S (to H) K D]", "[B (from S) H K D]"),
    "5-D reverse": ("[B (to S) H K D]", "[B S (from H) K D]"),
    "5-D reordered": ("[(to B) S H K D]", "[K (from B) H S D]"),
}


def axes(layout: str) -> list[str]:
    return [name for name in re.findall(r"\w+", layout) if name not in ("to", "from")]


def spec(target: str, source: str, result: str, *, dtype: str = "bf16", strided: bool = False) -> str:
    """Through a buffer of the receiver with tiles of 2 by 4 along the outermost and innermost axis, blocks of 2."""
    names = axes(source)
    dims = "".join(f"  dim {name} in 1..40\n" for name in names)
    tile = f"{names[0]} 4" if len(names) == 1 else f"{names[0]} 2, {names[-1]} 4"
    block = f"block {names[0]} by 4"
    link = LINKS.get(target, "mte")
    return f"""
exchange swap {{
  ranks W in 2..8
{dims}
  in A : {dtype} {source} {"strided" if strided else ""}
  out C : {dtype} {result}
}}
schedule one for swap {{
  target {target}
  emit triton_dist
  {block}
  buffer P : [{" ".join(["from", *names])}] symmetric per block slots 2
  role sender : even
  role reader : odd
  phase send on sender {{
    move A -> P
    link {link}
    tile {tile}
    ready notify per tile
    free credit per tile
  }}
  phase read on reader {{
    move P -> C
    link {link}
    tile {tile}
  }}
  rounds reset
}}
"""


def run(text: str, values: dict[str, int]) -> Outcome:
    checked = check(Source("swap.a2a", text))
    assert not [f for f in checked.findings if f.severity is Severity.ERROR]
    (schedule,) = checked.schedules
    cores = small_cores(schedule, values["W"])
    return simulate(
        program_of(checked, schedule), values, cores=cores, launches=2, interleavings=2 if len(values) < 5 else 1
    )


@pytest.mark.parametrize("target", ["ascend910c", "h200"])
@pytest.mark.parametrize("number", range(len(LAYOUTS)), ids=LAYOUTS)
def test_layouts(number: int, target: str) -> None:
    """Numbers of ranks in turn, a tail in every axis, and once each axis is 1."""
    source, result = list(LAYOUTS.values())[number]
    names = axes(source)
    text = spec(target, source, result)
    ranks = (6, 7, 2, 3, 5)[number % 5]
    small = dict.fromkeys(names[1:-1], 2)
    tails = {"W": ranks, **small, names[0]: 9 if len(names) < 4 else 5, names[-1]: 5}
    assert run(text, tails).verified
    ones = {"W": 3, **dict.fromkeys(names, 1)}
    assert run(text, ones).verified
    one = names[number % len(names)]
    assert run(text, tails | {"W": 2, one: 1}).verified


@pytest.mark.parametrize("target", ["ascend910c", "h200"])
@pytest.mark.parametrize("name", ["1-D reverse", "2-D block transpose", "3-D reverse", "5-D forward"])
def test_strided_inputs(name: str, target: str) -> None:
    source, result = LAYOUTS[name]
    values = {"W": 3, **dict.fromkeys(axes(source), 2), axes(source)[0]: 5, axes(source)[-1]: 5}
    assert run(spec(target, source, result, strided=True), values).verified


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_element_types(dtype: str, target: str) -> None:
    """A target moves the types that its back end has pointers to, and the others are refused."""
    text = spec(target, *LAYOUTS["3-D reverse"], dtype=dtype)
    if dtype in profile.load(target).backend("triton_dist").dtypes:
        assert run(text, {"W": 3, "S": 5, "H": 2, "D": 5}).verified
        return
    told = [f for f in check(Source("swap.a2a", text)).findings if f.severity is Severity.ERROR]
    assert [f.code for f in told] == ["A314"]
    assert dtype in told[0].message


def test_some_types_are_moved_and_some_refused() -> None:
    moved = {t: set(profile.load(t).backend("triton_dist").dtypes) for t in TARGETS}
    assert {"f32", "f16", "bf16", "i8", "i16", "i32"} <= set.intersection(*moved.values())
    assert {"f8e4m3", "f8e5m2"} <= moved["h200"]
    assert moved["ascend910c"] < set(DTYPES)


def test_a_wrong_layout_is_told_apart() -> None:
    """The kernel of one exchange under another one's data: what verifies layouts can fail."""
    reverse = check(Source("swap.a2a", spec("ascend910c", "[(to S) H D]", "[S (from H) D]")))
    other = check(Source("swap.a2a", spec("ascend910c", "[(to S) H D]", "[S (H from) D]")))
    values = {"W": 3, "S": 5, "H": 2, "D": 5}
    right, wrong = (program_of(c, c.schedules[0]) for c in (reverse, other))
    mixed = type(right)(right.kernel, "kernel.py", right.launcher, "launcher.py", wrong.exchange)
    assert simulate(right, values, cores=4).verified
    assert "wrong-output" in {f.kind for f in simulate(mixed, values, cores=4).findings}
