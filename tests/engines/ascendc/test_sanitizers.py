"""Kernels on threads under ThreadSanitizer and AddressSanitizer: right ones pass, and known bad ones are reported.

The bad ones are canaries: ThreadSanitizer must not become blind to what the stand-ins move.
"""

from __future__ import annotations

import resource
import subprocess
import time
from dataclasses import replace

import pytest

from a2agen.engines.ascendc import build, sanitize
from a2agen.engines.ascendc.build import ADDRESSES, THREADS, Sources, built
from a2agen.engines.ascendc.data import host_arguments, input_files
from a2agen.engines.setups import Setup
from tests.engines.ascendc.conftest import HANDWRITTEN, SWAP, edited
from tests.engines.ascendc.test_handwritten import NOTIFY, QUIET, WAIT
from tests.engines.ascendc.test_queues import PUT, SIGNAL

VALUES = {"W": 3, "S": 13, "D": 192}
MOST_SECONDS = 6


@pytest.fixture
def run(tmp_path):
    """Runs the hand-written exchange under a sanitizer, twice at most, until something is reported."""

    def call(variant, *edits, tries=1):
        kernel = edited((HANDWRITTEN / "kernel.cpp").read_text(encoding="utf-8"), edits)
        host = (HANDWRITTEN / "host.cpp").read_text(encoding="utf-8")
        program = built(Sources(kernel, "kernel.cpp", host, "host.cpp"), variant)
        setup = Setup(VALUES, 8)
        input_files(SWAP, setup, 3, tmp_path)
        arguments = host_arguments(SWAP, setup, 3, tmp_path)
        for seed in range(tries):
            verdict = sanitize.run(program, tmp_path, ranks=VALUES["W"], seed=seed, arguments=arguments)
            if verdict.reports:
                break
        return verdict

    return call


@pytest.mark.parametrize("variant", [THREADS, ADDRESSES], ids=lambda v: v.name)
@pytest.mark.parametrize("edits", [(), ((PUT, SIGNAL), NOTIFY)], ids=["quiet", "signal"])
def test_the_kernel_is_right(run, variant, edits):
    verdict = run(variant, *edits)
    assert (verdict.complete, verdict.reports) == (True, ()), verdict.said


@pytest.mark.parametrize("edit", [QUIET, WAIT], ids=["quiet", "wait"])
def test_what_is_taken_out_is_a_data_race(run, edit):
    verdict = run(THREADS, edit, tries=3)
    assert any("data race" in report for report in verdict.reports), verdict.said
    lines = (HANDWRITTEN / "kernel.cpp").read_text(encoding="utf-8").splitlines()
    assert any("DataCopyPad" in lines[line - 1] for line in verdict.lines)


def test_an_access_outside_is_reported(run):
    verdict = run(ADDRESSES, ("static_cast<uint32_t>(slab), peer);", "static_cast<uint32_t>(slab * 9), peer);"))
    assert verdict.reports, verdict.said


def test_a_buffer_on_chip_has_an_end(run):
    verdict = run(ADDRESSES, ("pipe.InitBuffer(tiles, 2 *", "pipe.InitBuffer(tiles, 1 *"))
    assert verdict.reports, verdict.said


def test_a_kernel_is_compiled_in_seconds():
    """In processor time, the engine's own code being there already."""
    for variant in (THREADS, ADDRESSES):
        built_before = Sources(*_texts("first"))
        built(built_before, variant)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        built(replace(built_before, kernel=built_before.kernel + f"// {time.time_ns()}\n"), variant)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MOST_SECONDS


def _texts(name):
    kernel, host = ((HANDWRITTEN / file).read_text(encoding="utf-8") for file in ("kernel.cpp", "host.cpp"))
    return kernel, f"{name}/kernel.cpp", host, f"{name}/host.cpp"


def test_copies_call_no_memcpy():
    """What can blind ThreadSanitizer is not to come back by way of the optimiser."""
    library = build.runtime_of(THREADS)
    done = subprocess.run(["nm", "--undefined-only", library], capture_output=True, text=True, check=True)
    (members,) = (part for part in done.stdout.split("\n\n") if part.lstrip().startswith("copy.o:"))
    assert "__tsan_write8" in members
    assert "memcpy" not in members
    assert "memmove" not in members
