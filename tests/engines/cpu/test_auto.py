"""Both operators of a launcher that chooses the link run, and a wait that is missing in either is found."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import search
from a2agen.engines.setups import Setup
from a2agen.engines.small import small_setups
from a2agen.passes.check import check
from a2agen.source import Source

SPECS = Path(__file__).parents[3] / "specs"


@cache
def programs(spec: str) -> dict[str, tuple[Program, tuple[Setup, ...]]]:
    """What runs of the schedule `auto`, by link, and in which setups."""
    checked = check(Source(spec, (SPECS / spec).read_text(encoding="utf-8")))
    found = [(program_of(checked, s), small_setups(s)) for s in checked.schedules if s.declared == "auto"]
    return {str(program.link): (program, setups) for program, setups in found}


@pytest.mark.parametrize("spec", ["reverse_all2all.a2a", "forward_all2all.a2a"])
def test_each_link_is_right(spec):
    assert list(programs(spec)) == ["ldst", "ce"]
    kernels = {program.kernel for program, _ in programs(spec).values()}
    assert len(kernels) == 1
    for program, setups in programs(spec).values():
        assert search(program, setups, interleavings=6).verified


@pytest.mark.parametrize("link", ["ldst", "ce"])
def test_a_word_that_is_not_waited_for_is_found(link):
    program, setups = programs("reverse_all2all.a2a")[link]
    # The kernels of ldst come first; each has a wait for the peers' entry, and one for their rows.
    parts = program.kernel.split("waitValue=epoch")
    assert len(parts) == 5
    at = {"ldst": (1, 2), "ce": (3, 4)}[link]
    for place in at:
        text = "waitValue=epoch".join(parts[:place]) + "waitValue=epoch*0" + "waitValue=epoch".join(parts[place:])
        edited = replace(program, kernel=text)
        other, other_setups = programs("reverse_all2all.a2a")["ce" if link == "ldst" else "ldst"]
        assert not search(edited, setups, interleavings=8).verified
        assert search(replace(other, kernel=text), other_setups, interleavings=2).verified


def test_a_link_that_the_launcher_has_not_is_an_error():
    program, setups = programs("reverse_all2all.a2a")["ce"]
    outcome = search(replace(program, link="put"), setups, interleavings=1)
    assert "no operator by link put" in str(outcome.error)
