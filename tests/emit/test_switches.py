"""Where a launcher's choice of a link changes: at one size, at which both are predicted to take the same, and whatever
the order in which it looks at them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

import pytest

from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.passes.choice import predictions, ranges, taken, varied
from a2agen.runtime.engines import fastest
from a2agen.source import Source
from tests.auto_spec import auto_spec

# The extents beside the one along which a launcher is asked.
SHAPES = [
    {"W": 2, "H": 8, "D": 512},
    {"W": 8, "H": 8, "D": 1024},
    {"W": 3, "H": 2, "D": 24},
    {"W": 8, "H": 1, "D": 7168},
    {"W": 5, "H": 3, "D": 1000},
]
SMALL = (*range(1, 200), *range(200, 4000, 37))


def schedule() -> Schedule:
    checked = check(Source("s.a2a", auto_spec("combine", "chosen", "[(to S) H D]", "[S (from H) D]")))
    assert checked.findings == ()
    return checked.schedules[0]


def switches(way: Schedule, others: dict[str, int]) -> list[tuple[int, int]]:
    """The last size of one link and the first of the next."""
    found = ranges(way, others)
    return [(a.last, b.first) for a, b in pairwise(found) if a.taken.link != b.taken.link]


def times(way: Schedule, others: dict[str, int], size: int) -> dict[str, float]:
    return {link: at.us for link, at in predictions(way, {**others, varied(way): size}).items()}


@pytest.mark.parametrize("others", SHAPES, ids=str)
def test_the_link_changes_once_where_both_take_the_same(others):
    way = schedule()
    ((last, first),) = switches(way, others)
    assert first == last + 1
    before, after = (times(way, others, size) for size in (last, first))
    assert before["ldst"] <= before["ce"]
    assert after["ce"] < after["ldst"]
    for near in (before, after):
        assert near["ldst"] == pytest.approx(near["ce"], rel=0.005)
    # Away from there they do not, so that it says something.
    for far in (last // 4, last * 4):
        apart = times(way, others, far)
        assert abs(apart["ldst"] - apart["ce"]) > 0.02 * min(apart.values())
        assert taken(way, {**others, varied(way): far}).link == ("ldst" if far < last else "ce")


@pytest.mark.parametrize("others", SHAPES, ids=str)
def test_more_takes_longer(others):
    """By the engine always. By the cores but for the number of programs, half or a quarter of what there are tasks for:
    one more task may fall in with it, and is then up to 6 % faster."""
    way = schedule()
    for small, large in pairwise(times(way, others, size) for size in SMALL):
        assert small["ce"] < large["ce"]
        assert large["ldst"] >= 0.94 * small["ldst"]
    doubled = [times(way, others, 1 << power)["ldst"] for power in range(18)]
    assert all(small <= large for small, large in pairwise(doubled))


@pytest.mark.parametrize("others", SHAPES, ids=str)
def test_the_order_of_the_links_does_not_matter(others):
    way = schedule()
    links = dict(reversed(way.target.links.items()))
    other = replace(way, target=replace(way.target, links=MappingProxyType(links)))
    assert list(other.target.links) != list(way.target.links)
    assert switches(other, others) == switches(way, others)
    ((last, first),) = switches(way, others)
    for size in (1, last - 1, last, first, first + 1, 4 * first):
        found = times(way, others, size)
        assert len(set(found.values())) == len(found)
        assert fastest(found) == fastest(dict(reversed(found.items())))
