"""Strided accesses and index arrays reach the same bytes, and the shadow is exact for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from a2agen.engines.cpu import ASCEND, dtypes
from a2agen.engines.cpu.affine import Affine
from a2agen.engines.cpu.findings import Collector
from a2agen.engines.cpu.host import Host, Meeting
from a2agen.engines.cpu.loadstore import LoadStore
from a2agen.engines.cpu.machine import Machine
from a2agen.engines.cpu.memory import Pointer, Span, region
from a2agen.engines.cpu.scheduler import Scheduler
from a2agen.engines.cpu.shadow import READERS_SHIFT, WRITER
from a2agen.engines.cpu.sites import Sites

NBYTES = 6144


class Bench:
    """One core with one allocation, for accesses from a test."""

    def __init__(self, element: Any) -> None:
        self.findings = Collector()
        self.scheduler = Scheduler(0)
        self.machine = Machine(1, 1, ASCEND, self.scheduler, self.findings, Sites("none"), checked=True)
        self.allocation = self.machine.allocate(NBYTES, 0)
        self.pointer = Pointer(Span(self.allocation, 0, NBYTES, "x", element), element, 0, 0)
        self.memory = self.allocation.memory[0]
        self.memory[:] = np.arange(NBYTES) * 37 % 251
        self.shadow = self.allocation.shadows[0]

    def run(self, body: Any) -> None:
        host = Host(0, self.machine, Meeting())
        self.scheduler.spawn(host, lambda: (host.launch(lambda: body(LoadStore(self.machine)), 1), host.synchronize()))
        assert self.scheduler.run(self.machine.idle) == []

    def owners(self, half: str) -> list[int]:
        """For each byte the event that wrote, or read, last."""
        entries = np.repeat(self.shadow.entries, self.shadow.grain)[:NBYTES]
        return list(entries & WRITER if half == "writers" else entries >> READERS_SHIFT)


accesses = st.tuples(
    st.integers(0, 400),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 3, 8, 37, 64]),
    st.sampled_from([1, 4, 16]),
    st.sampled_from([1, 1, 2, 5]),
    st.integers(0, 4),
    st.integers(0, 16),
)
elements = st.sampled_from([dtypes.I8, dtypes.BF16, dtypes.F32, dtypes.I64])


def offsets(access: Any) -> tuple[Affine, Any, Any]:
    first, rows, row_stride, columns, stride, most_rows, most_columns = access
    block = Affine(first, (rows, columns), (row_stride, stride))
    mask = (Affine(0, (rows, 1), (1, 0)) < most_rows) & (Affine(0, (1, columns), (0, 1)) < most_columns)
    return block, mask, block.dense()[mask.dense()]


@settings(max_examples=150, deadline=None)
@given(elements, accesses)
def test_a_load_by_view_equals_one_by_indices(element: Any, access: Any) -> None:
    bench = Bench(element)
    block, mask, wanted = offsets(access)
    out = {}

    def body(memory: LoadStore) -> None:
        out["view"] = memory.load(bench.pointer + block, mask, 0)
        # A mask that is no box takes the other path.
        out["listed"] = memory.load(bench.pointer + block, mask | False, 0)

    bench.run(body)
    np.testing.assert_array_equal(out["view"].bits(), out["listed"].bits())
    expected = bench.memory.view(element.bits)[wanted] if wanted.size else wanted
    np.testing.assert_array_equal(np.sort(out["view"].bits()[mask.dense()]), np.sort(expected))


@settings(max_examples=150, deadline=None)
@given(elements, accesses, st.booleans())
def test_a_store_marks_its_own_bytes_and_no_other(element: Any, access: Any, listed: bool) -> None:
    bench = Bench(element)
    block, mask, wanted = offsets(access)
    before = bench.memory.copy()
    bench.run(lambda memory: memory.store(bench.pointer + block, 5, (mask | False) if listed else mask))
    size = element.itemsize
    touched = {int(i) * size + k for i in wanted for k in range(size)}
    assert {i for i, event in enumerate(bench.owners("writers")) if event} == touched
    assert all(bench.memory[i] == before[i] for i in range(NBYTES) if i not in touched)
    if wanted.size:
        stored = bench.memory.view(element.bits)[wanted]
        assert len(set(stored.tolist())) == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), elements, accesses), min_size=2, max_size=5))
def test_the_shadow_keeps_the_last_access_of_every_byte(steps: list[Any]) -> None:
    bench = Bench(dtypes.I8)
    writers, readers = [0] * NBYTES, [0] * NBYTES
    order = bench.machine.order
    assert order is not None
    thread = bench.machine.cores[0][0].mte
    for writes, element, access in steps:
        block, _, _ = offsets(access)
        part = region(block.shape, block.strides, element.itemsize)
        start = block.start * element.itemsize
        (order.write if writes else order.read)(bench.pointer.span, 0, part, start, thread.at(0))
        event = len(order._events) - 1
        for i in block.dense().reshape(-1).tolist():
            for byte in range(i * element.itemsize, (i + 1) * element.itemsize):
                if writes:
                    writers[byte], readers[byte] = event, 0
                else:
                    readers[byte] = event
    assert bench.owners("writers") == writers
    assert bench.owners("readers") == readers


def test_rows_of_odd_length_do_not_touch_each_other() -> None:
    bench = Bench(dtypes.I8)
    order = bench.machine.order
    assert order is not None
    left, right = bench.machine.cores[0][0].mte, bench.machine.cores[0][0].put
    for row in range(9):
        thread = left if row % 2 else right
        order.write(bench.pointer.span, 0, region((7,), (1,), 1), row * 7, thread.at(0))
    assert bench.findings.all() == ()
    order.write(bench.pointer.span, 0, region((8,), (1,), 1), 0, right.at(0))
    assert [f.kind for f in bench.findings.all()] == ["race"]
