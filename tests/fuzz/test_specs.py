"""A slice of the random specs of benchmarks/specs.py, and that what judges them can tell right from wrong."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.findings import Finding
from a2agen.ir.model import Schedule
from a2agen.passes.check import Checked
from a2agen.source import Source, Span
from tests.fuzz import judge as judging
from tests.fuzz.judge import judge, malformed
from tests.fuzz.texts import KINDS, kind_of, text_of
from tests.fuzz.writer import spec

CHECKED = range(120)
SIMULATED = range(120, 150)


@pytest.mark.parametrize("seeds", [CHECKED[n::6] for n in range(6)], ids=str)
def test_checked_and_compiled(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        path = tmp_path / f"{seed}.a2a"
        path.write_bytes(text_of(seed))
        assert judge(path, interleavings=0).faults == [], seed


@pytest.mark.parametrize("seeds", [SIMULATED[n::6] for n in range(6)], ids=str)
def test_simulated(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        path = tmp_path / f"{seed}.a2a"
        path.write_bytes(text_of(seed))
        assert judge(path, interleavings=1).faults == [], seed


def test_the_slice_has_everything(tmp_path: Path) -> None:
    """Specs of each kind, clean and not, emitted and refused."""
    judged = {}
    for seed in CHECKED[:40]:
        path = tmp_path / f"{seed}.a2a"
        path.write_bytes(text_of(seed))
        judged[seed] = judge(path, interleavings=0)
    assert {kind_of(seed) for seed in judged} == set(KINDS)
    sound = [j for seed, j in judged.items() if kind_of(seed) == "sound"]
    assert sum(j.clean for j in sound) > len(sound) // 2
    assert sum(j.emitted for j in judged.values()) > 10
    assert len({code for j in judged.values() for code in j.codes}) > 10


def test_the_same_seed_is_the_same_spec() -> None:
    assert [text_of(seed) for seed in CHECKED] == [text_of(seed) for seed in CHECKED]
    assert len({text_of(seed) for seed in CHECKED}) > 110


def test_a_wrong_kernel_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its fences a kernel races, and what lint let pass is a fault."""

    def unfenced(checked: Checked, schedule: Schedule) -> Program:
        made = program_of(checked, schedule)
        return replace(made, kernel=made.kernel.replace("libshmem_device.fence()", "pass"))

    path = Path(__file__).parent / "found" / "tile_of_one_in_a_tail_block.a2a"
    assert judge(path, interleavings=1).simulated == ["right"]
    monkeypatch.setattr(judging, "program", unfenced)
    assert "lint is clean, simulation is not" in judge(path, interleavings=1).faults[0]


def test_an_exception_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Source) -> None:
        raise KeyError("S")

    path = tmp_path / "spec.a2a"
    path.write_text(spec(0))
    monkeypatch.setattr(judging, "check", fail)
    assert "KeyError" in judge(path, interleavings=0).faults[0]


def test_a_check_that_does_not_end_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(_: Source) -> None:
        end = time.process_time() + 20
        while time.process_time() < end:
            pass

    path = tmp_path / "spec.a2a"
    path.write_text(spec(0))
    monkeypatch.setattr(judging, "check", spin)
    monkeypatch.setattr(judging, "SECONDS", 0.1)
    assert judge(path, interleavings=0).faults == ["not done within 0.1 s"]


@pytest.mark.parametrize(
    ("finding", "fault"),
    [
        (Finding("A101", "said", "s", Span(1, 1, 1, 4)), None),
        (Finding("A101", "said", "s", Span(2, 1, 2, 2)), "outside the text"),
        (Finding("A101", "said", "s", Span(1, 1, 1, 5)), "outside the text"),
        (Finding("A101", "said", "s", Span(1, 3, 1, 2)), "lies at"),
        (Finding("A101", " ", "s", Span(1, 1, 1, 2)), "no message"),
        (Finding("A199", "said", "s", Span(1, 1, 1, 2)), "no rule"),
    ],
)
def test_malformed_findings(finding: Finding, fault: str | None) -> None:
    found = malformed((finding,), Source("s", "abc"))
    assert found == [] if fault is None else fault in found[0]


def test_findings_out_of_order_and_twice() -> None:
    first, second = (Finding("A101", "said", "s", Span(1, n, 1, n + 1)) for n in (1, 2))
    assert malformed((first, second), Source("s", "abc")) == []
    assert malformed((second, first), Source("s", "abc")) == ["findings are not in order"]
    assert malformed((first, first), Source("s", "abc")) == ["a finding comes twice"]
