"""A program of a GPU is many threads: what one has stored, another sees behind a barrier of the program alone."""

from __future__ import annotations

import pytest

from a2agen.engines.cpu import Program
from tests.engines.cpu.programs import Vendor
from tests.engines.cpu.small import kinds, line_of, run, small

BEGUN = """\
rows = tl.arange(0, 2)
if pid == 0:
    mine = scratch + rows[:, None] * 4 + tl.arange(0, 4)[None, :]
    turned = scratch + rows[None, :] * 4 + tl.arange(0, 4)[:, None]
    tl.store(scratch + tl.arange(0, 32), 7)
    tl.debug_barrier()
"""
# Another start, a row of a tile, its transposition, and the elements in another order; with the same extents or others.
OTHERS = {
    "transposed": "turned",
    "row by row": "scratch + tl.arange(0, 4)",
    "flat": "scratch + tl.arange(0, 8)",
    "other start": "mine + 1",
    "other strides": "scratch + rows[:, None] * 2 + tl.arange(0, 4)[None, :] * 2",
    "backwards": "scratch + 7 - tl.arange(0, 8)",
    "one number": "scratch",
    "listed": "scratch + tl.arange(0, 4) % 3",
}
STORE, LOAD = "tl.store({}, value=3)  # {}", "x = tl.load({})  # {}"
PAIRS = {"RAW": (STORE, LOAD), "WAR": (LOAD, STORE), "WAW": (STORE, STORE)}


def pair(order: str, first: str, second: str, between: str = "", vendor: Vendor = "nvidia", also: str = "") -> Program:
    """Two accesses of one program, `between` between them; `also` stands before."""
    one, other = PAIRS[order]
    lines = [also, one.format(first, "one"), between, other.format(second, "other")]
    return small(BEGUN + "".join(f"    {line}\n" for line in lines if line), vendor=vendor)


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("order", PAIRS)
def test_threads_that_share_a_block_need_a_barrier(order: str, other: str) -> None:
    program = pair(order, "mine", other)
    outcome = run(program, launches=1, interleavings=2)
    assert kinds(outcome) == {"race"}
    (finding,) = outcome.findings
    assert finding.line == line_of(program, "# other")
    assert f"(line {line_of(program, '# one')})" in finding.text
    assert "put tl.debug_barrier() between" in finding.text
    for right in (pair(order, "mine", other, "tl.debug_barrier()"), pair(order, "mine", other, vendor="ascend")):
        assert kinds(run(right, launches=1, interleavings=2)) == set()


@pytest.mark.parametrize("between", ["libshmem_device.fence()", "libshmem_device.quiet()"])
def test_what_each_thread_orders_by_itself_is_no_barrier(between: str) -> None:
    assert kinds(run(pair("RAW", "mine", "turned", between), launches=1)) == {"race"}


@pytest.mark.parametrize("order", PAIRS)
@pytest.mark.parametrize(
    "place",
    [
        "mine",
        "scratch + 1 + tl.arange(0, 8)",
        "scratch + 7 - tl.arange(0, 8)",
        "scratch + tl.arange(0, 4) * 2",
        "scratch + tl.arange(0, 4) // 2 * 3 + tl.arange(0, 4)",
    ],
)
def test_the_same_layout_has_the_same_threads(order: str, place: str) -> None:
    assert kinds(run(pair(order, place, place), launches=1)) == set()


@pytest.mark.parametrize("order", PAIRS)
def test_a_mask_moves_no_element_to_another_thread(order: str) -> None:
    part = "mine, mask=rows[:, None] < 1"
    assert kinds(run(pair(order, "mine", part), launches=1)) == set()
    assert kinds(run(pair(order, part, "mine"), launches=1)) == set()
    assert kinds(run(pair(order, part, "turned"), launches=1)) == {"race"}


@pytest.mark.parametrize("order", PAIRS)
def test_elements_that_share_a_place_have_threads_of_their_own(order: str) -> None:
    shared = "scratch + rows[:, None] + tl.arange(0, 4)[None, :]"
    assert kinds(run(pair(order, shared, shared), launches=1)) == {"race"}
    assert kinds(run(pair(order, shared, shared, "tl.debug_barrier()"), launches=1)) == set()


@pytest.mark.parametrize(("order", "found"), [("RAW", {"race"}), ("WAR", {"stale-read"}), ("WAW", set())])
def test_all_threads_load_a_number_and_one_stores_it(order: str, found: set[str]) -> None:
    assert kinds(run(pair(order, "scratch", "scratch"), launches=1)) == found
    assert kinds(run(pair(order, "scratch", "scratch", "tl.debug_barrier()"), launches=1)) == set()


def test_an_earlier_load_of_another_layout_is_not_forgotten() -> None:
    program = pair("WAR", "mine", "mine", also="x = tl.load(turned)")
    assert kinds(run(program, launches=1)) == {"race"}
