"""The lowered form runs, all ranks and cores as threads, and gives what it must; what is spoilt does not."""

from __future__ import annotations

import re

import pytest

from a2agen.emit.triton_dist.backend import kernel_text
from a2agen.engines.ascend_ir.execute import execute
from a2agen.engines.small import small_cores, small_shape
from a2agen.passes.lower import lower
from a2agen.source import Source
from tests.passes.lower import matrix

from .conftest import name_of, of_specs

CASES = of_specs()
MATRIX = [(name, schedule) for name, schedule in matrix.sound().items() if schedule.target.vendor == "ascend"]
BYTES = 1 << 20
"""Cases of a spec whose slabs are larger are left to the other engine."""


def shapes(schedule):
    exchange = schedule.exchange
    yield small_shape(schedule)
    for case in exchange.cases:
        values = dict(case.values)
        size = schedule.source.element_bytes
        for axis in exchange.dims:
            size *= values[axis]
        if size * values[exchange.ranks] <= BYTES:
            yield values


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_gives_the_reference_bit_for_bit(case, compilers):
    schedule, source = case
    found = list(shapes(schedule))
    assert len(found) > 1
    for values in found:
        done = execute(schedule, source, values, compilers, cores=small_cores(schedule, values["W"]))
        assert done.error is None, values


@pytest.mark.parametrize("name", [name for name, _ in MATRIX])
def test_every_way_to_announce_and_free(name, compilers):
    schedule = matrix.sound()[name]
    values = small_shape(schedule)
    done = execute(schedule, Source("swap.a2a", ""), values, compilers, cores=small_cores(schedule, values["W"]))
    assert done.error is None


PIPELINED, BARRIER, PUT = "mte_pipelined", "udma_barrier", "udma_notify"


@pytest.mark.parametrize(
    ("name", "old", "new", "error"),
    [
        (PIPELINED, r"A_tile = A \+ \(\(to \* S", "A_tile = A + ((rank * S", "is wrong"),
        (PIPELINED, r"C_tile = C \+ \(\(s0 \* W \+ src\)", "C_tile = C + ((s0 * W + rank)", "is wrong"),
        (PIPELINED, r"\(d0 \+ offs_d < D\)", "(offs_d < D)", "is wrong"),
        (PIPELINED, r"arrived = dl\.wait\(.*\)", "arrived = 0", "is wrong|hangs"),
        (PIPELINED, r"dl\.notify\(send_full \+ word, to, .*\)", "pass", "hangs"),
        (PIPELINED, r"waitValue=1", "waitValue=2", "hangs"),
        (PUT, r"libshmem_device\.putmem\([^#]*?\n +\)\n", "pass\n", "is wrong"),
        (PUT, r"rows \* H \* D \* 2, to", "rows * H * D, to", "is wrong"),
        (BARRIER, r"libshmem_device\.barrier_all_vec\(\)", "pass", "is wrong"),
    ],
)
def test_a_spoilt_kernel_is_wrong_or_hangs(name, old, new, error, compilers):
    schedule, source = next(c for c in CASES if name_of(c) == f"reverse_all2all-{name}")
    text = kernel_text(lower(schedule), source)
    spoilt = re.sub(old, new, text)
    assert spoilt != text
    values = small_shape(schedule)
    cores = small_cores(schedule, values["W"])
    done = execute(schedule, source, values, compilers, cores=cores, kernel=spoilt, seconds=3.0)
    assert re.search(error, done.error or "")
    # What hung is gone, and the next kernel runs.
    assert execute(schedule, source, values, compilers, cores=cores, launches=1).error is None
