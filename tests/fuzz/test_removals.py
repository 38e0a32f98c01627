"""A slice of benchmarks/kernels.py: the simulator misses each kind of operation that a kernel lacks, and no other."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.source import Source
from benchmarks import kernels
from tests.fuzz.removals import OPERATIONS, Removal, Verdict, removals, search

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "specs" / "reverse_all2all.a2a"
WITHIN = 50


@lru_cache
def compiled() -> dict[str, tuple[Schedule, Program]]:
    """The schedules of the spec by name, with what they compile to."""
    checked = check(Source(SPEC.name, SPEC.read_text(encoding="utf-8")))
    return {s.name: (s, program_of(checked, s)) for s in checked.schedules}


def chosen(name: str) -> dict[str, Removal]:
    """The last removal of each kind of operation in a kernel, the one that is noticed least."""
    return {removal.operation: removal for removal in removals(compiled()[name][1].kernel)}


NAMES = ("mte_pipelined", "udma_notify", "udma_barrier", "direct", "put")


@pytest.mark.parametrize("name", NAMES)
def test_each_operation_is_missed(name: str) -> None:
    schedule, program = compiled()[name]
    assert not search(program, schedule, program.kernel, most=5, whole=True).reported
    for operation, removal in chosen(name).items():
        verdict = search(program, schedule, removal.text, most=WITHIN)
        assert verdict.reported, (operation, removal.line)
        assert verdict.error is None


def test_the_slice_has_every_operation() -> None:
    assert {operation for name in NAMES for operation in chosen(name)} == set(OPERATIONS.values())


def test_a_removal_takes_one_operation_and_nothing_else() -> None:
    kernel = compiled()["mte_pipelined"][1].kernel
    whole = ast.unparse(ast.parse(kernel)).splitlines()
    found = removals(kernel)
    calls = [node for node in ast.walk(ast.parse(kernel)) if isinstance(node, ast.Call)]
    assert len(found) == sum(ast.unparse(call.func) in OPERATIONS for call in calls)
    for removal in found:
        lines = removal.text.splitlines()
        changed = [(a, b) for a, b in zip(whole, lines, strict=True) if a != b]
        assert len(changed) == 1
        before, after = changed[0]
        match removal.operation:
            case "wait":
                assert after.strip().endswith("= 0")
            case "consume_token":
                assert "consume_token" in before
                assert "consume_token" not in after
            case _:
                assert after.strip() == "pass"


def test_an_unknown_call_of_a_library_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match=r"libshmem_device\.sync_all is neither"):
        removals("libshmem_device.sync_all()")


def test_the_benchmark_takes_all_triton_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each checked-in one once, those too of which a launcher chooses; and each entry of SPARE stands for something."""
    monkeypatch.chdir(ROOT)
    jobs = list(kernels.jobs([str(path) for path in sorted(Path("specs").glob("*.a2a"))], 1, 1))
    folders = {str(path.parent.relative_to("generated")) for path in Path("generated").rglob("kernel.py")}
    assert {job.name for job in jobs} == folders
    assert max(len(job.ways) for job in jobs) == 2
    spare = [job for job in jobs if job.spare]
    assert {job.operation for job in spare} == {"consume_token", "debug_barrier"}
    assert not any(job.spare for job in jobs if job.operation in ("wait", "notify", "quiet", "fence"))


def test_a_spare_operation_that_is_missed_is_one_too_many() -> None:
    job = kernels.Job("spec", (0,), "all2all/put", 3, "debug_barrier", 113, 50, spare=True)
    nothing, race = Verdict(False, (), 50), Verdict(True, ("race",), 1)
    assert (kernels.is_miss(job, nothing), kernels.is_miss(job, race)) == (False, True)
    needed = replace(job, spare=False)
    assert (kernels.is_miss(needed, nothing), kernels.is_miss(needed, race)) == (True, False)
    unedited = replace(needed, number=None)
    assert (kernels.is_miss(unedited, nothing), kernels.is_miss(unedited, race)) == (False, True)
