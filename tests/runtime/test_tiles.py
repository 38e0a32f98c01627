"""The tile and the programs of a launch: the fastest of all by the model, the same on every rank, within what is
allowed."""

from __future__ import annotations

import random
from dataclasses import replace
from math import hypot

import pytest

from a2agen.runtime.engines import EngineCosts, fastest
from a2agen.runtime.tiles import LEAST, Costs, tile, tile_time

COSTS = Costs(start=4.2, latency=0.38, task_rate=68000.0, announce=0.017, rate=364000.0)


def time(costs: Costs, tasks: int, size: int, programs: int, remote: int, peers: int) -> float:
    """The model in the words of its description, apart from the code."""
    turns = 0
    while turns * programs < tasks:
        turns += 1
    rounds = turns * (costs.latency + size / costs.task_rate)
    return costs.start + hypot(rounds, remote / costs.rate) + peers * programs * costs.announce


def shape(seed: int) -> dict[str, int]:
    draw = random.Random(seed)
    return {
        "rows": draw.choice((1, 3, 16, 100, 1024)),
        "together": draw.choice((1, 24, 127, 512, 4096, 14336, 100_000)),
        "outer": draw.choice((2, 4, 8, 24)),
        "most": draw.choice((256, 1024, 8192)),
        "cores": draw.choice((1, 7, 264)),
        "ranks": draw.choice((2, 3, 8)),
        "itemsize": draw.choice((1, 2, 4)),
    }


def settings(rows, together, outer, most, cores, ranks, itemsize, costs):
    """Every setting there is: (time, elements, programs, rows, elements of each) of all powers of two and programs."""
    remote = rows * together * outer * itemsize * (ranks - 1) // ranks
    longest = next(1 << n for n in range(40) if 1 << n >= together)
    highest = next(1 << n for n in range(40) if 1 << n >= rows)
    for size in (1 << n for n in range(20)):
        if not min(LEAST, most) <= size <= most:
            continue
        long = min(size, longest)
        high = min(highest, size // long)
        tasks = outer * sum(1 for _ in range(0, rows, high)) * sum(1 for _ in range(0, together, long))
        programs = min(cores, tasks)
        while programs:
            yield time(costs, tasks, size * itemsize, programs, remote, ranks - 1), size, programs, high, long
            programs //= 2


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_fastest_of_all_settings(seed):
    known = shape(seed)
    every = list(settings(**known, costs=COSTS))
    best = min(every, key=lambda s: (round(s[0], 9), -s[1], s[2]))
    programs, high, long = tile(**known, costs=COSTS)
    assert (programs, high, long) == best[2:]
    assert tile_time(**known, costs=COSTS) == pytest.approx(best[0])


@pytest.mark.parametrize("seed", range(60))
def test_it_is_within_what_is_allowed(seed):
    known = shape(seed)
    programs, high, long = tile(**known, costs=COSTS)
    assert 1 <= programs <= known["cores"]
    assert high * long <= known["most"]
    assert (high & (high - 1), long & (long - 1)) == (0, 0)
    # No tile reaches twice as far as there is anything.
    assert high < 2 * known["rows"]
    assert long < 2 * known["together"]


@pytest.mark.parametrize("seed", range(30))
def test_more_of_anything_takes_no_less_time_and_more_room_no_more(seed):
    known = shape(seed)
    now = tile_time(**known, costs=COSTS)
    for more in ("rows", "outer"):
        assert tile_time(**{**known, more: 2 * known[more]}, costs=COSTS) >= now
    # All programs, their halves and so on are still there.
    assert tile_time(**{**known, "cores": 2 * known["cores"]}, costs=COSTS) <= now + 1e-9
    for slower in ("start", "latency", "announce"):
        assert tile_time(**known, costs=replace(COSTS, **{slower: 2 * getattr(COSTS, slower)})) >= now
    for faster in ("task_rate", "rate"):
        assert tile_time(**known, costs=replace(COSTS, **{faster: 2 * getattr(COSTS, faster)})) <= now


def test_what_each_cost_is_for():
    """Ten tasks of 68000 bytes for four programs: three rounds, beside what the link takes."""
    apart = replace(COSTS, start=0.0, announce=0.0)
    assert apart.time(10, 68000, 4, 0, 7) == pytest.approx(3 * 1.38)
    assert apart.time(1, 0, 1, 728_000, 7) == pytest.approx(hypot(0.38, 2.0))
    assert COSTS.time(10, 68000, 4, 0, 7) == pytest.approx(4.2 + 3 * 1.38 + 28 * 0.017)


def test_small_exchanges_take_few_programs_and_large_ones_long_tiles():
    small = tile(2, 4096, 8, 8192, 264, ranks=8, itemsize=2, costs=COSTS)
    large = tile(1024, 14336, 8, 8192, 264, ranks=8, itemsize=2, costs=COSTS)
    assert small[0] < large[0]
    assert large[1] * large[2] == 8192


def test_the_faster_link_and_of_two_alike_the_first():
    assert fastest({"ldst": 5.0, "ce": 4.0}) == "ce"
    assert fastest({"ldst": 4.0, "ce": 4.0}) == "ldst"
    assert EngineCosts(24.0, 390000.0).time(390_000_000) == pytest.approx(1024.0)
