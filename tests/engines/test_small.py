"""The shapes that `simulate` derives: what they reach, what they cost, and faults that one shape would miss."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from a2agen.engines.cpu import Program, search
from a2agen.engines.cpu.run import memory_needed, program_of, too_few_cores
from a2agen.engines.setups import turn
from a2agen.engines.small import MOST_LEAST_TILES, MOST_TILES, small_setups
from a2agen.ir.model import Schedule
from a2agen.passes.check import Checked, check
from a2agen.source import Source

SPECS = Path(__file__).parents[2] / "specs"

COMBINE = """\
exchange combine {
  ranks W in 2..RANKS
  dim   S in 1..4096
  dim   D in 1..4096
  in  A : bf16 [(to S) D]
  out C : bf16 [S (from D)]
}
schedule piped for combine {
  target ascend910c
  emit   triton_dist
  block  S by 8
  buffer P : [S (from D)] symmetric per block slots SLOTS
  role sender : even
  role reader : odd
  phase send on sender {
    move  A -> P
    link  mte
    tile  S 8, D 256
    ready notify per tile
    free  credit per tile
  }
  phase read on reader {
    move  P -> C
    link  mte
    tile  S 8, D 256
  }
  rounds reset
}
"""


def combine(ranks: int = 8, slots: int = 2) -> tuple[Checked, Schedule]:
    checked = check(Source("combine.a2a", COMBINE.replace("RANKS", str(ranks)).replace("SLOTS", str(slots))))
    (schedule,) = checked.schedules
    return checked, schedule


def of_spec(name: str, schedule: str) -> tuple[Checked, Schedule]:
    path = SPECS / name
    checked = check(Source(str(path), path.read_text(encoding="utf-8")))
    return checked, next(s for s in checked.schedules if s.name == schedule)


def test_shapes_of_a_pipeline() -> None:
    _, schedule = combine()
    assert [(s.values, s.cores) for s in small_setups(schedule)] == [
        ({"W": 3, "S": 29, "D": 385}, 4),
        ({"W": 3, "S": 37, "D": 385}, 4),
        # Two tasks a role, and three cores.
        ({"W": 2, "S": 5, "D": 1}, 6),
        ({"W": 4, "S": 13, "D": 385}, 4),
    ]
    assert {s.cores for s in small_setups(schedule, 10)} == {10}


def test_cores_that_leave_a_role_without_one() -> None:
    _, schedule = combine()
    assert too_few_cores(schedule, None, 1) == "piped: role reader has no core at 1 core and 3 ranks"
    assert too_few_cores(schedule, None, 2) is None
    _, schedule = of_spec("reverse_all2all.a2a", "udma_notify_staged")
    # At 2 ranks the filler has a core.
    assert {s.values["W"] for s in small_setups(schedule, 4)} == {2}
    assert too_few_cores(schedule, None, 4) is None
    assert too_few_cores(schedule, {"W": 3, "S": 1, "H": 1, "D": 1}, 4) is not None
    assert too_few_cores(schedule, None, 2) is not None


def test_memory_needed() -> None:
    _, schedule = combine()
    # A, C: 2 * 3 * 5 * 7 bytes each; P: 2 slots of 8 S; words: 2 slots, 1 tile, 3 ranks, 64 bytes each.
    rank = 2 * 2 * 3 * 5 * 7 + 2 * 2 * 8 * 3 * 7 + 2 * 3 * 64
    # 16 bytes for each of 5 * 7 places, an input and an output.
    assert memory_needed(schedule, {"W": 3, "S": 5, "D": 7}) == 3 * rank + 16 * 5 * 7 + 2 * 2 * 3 * 5 * 7


def test_no_shape_twice_and_none_out_of_bounds() -> None:
    _, schedule = combine(ranks=2)
    setups = small_setups(schedule)
    assert {s.values["W"] for s in setups} == {2}
    assert all(schedule.exchange.bounds.admits(s.values) for s in setups)
    assert all(s not in setups[:n] for n, s in enumerate(setups))


@pytest.mark.parametrize(("slots", "blocks"), [(2, 4), (16, 18), (100, 102)])
def test_a_slot_is_used_again_as_long_as_that_is_affordable(slots: int, blocks: int) -> None:
    _, schedule = combine(slots=slots)
    assert -(-small_setups(schedule)[0].values["S"] // 8) == blocks


def test_the_size_of_a_shape_is_bounded() -> None:
    for slots in (16, 64, 500):
        _, schedule = combine(slots=slots)
        for setup in small_setups(schedule):
            ranks, blocks, tiles = setup.values["W"], -(-setup.values["S"] // 8), -(-setup.values["D"] // 256)
            assert 2 * ranks**2 * blocks * tiles <= (MOST_TILES if tiles > 1 else MOST_LEAST_TILES)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_turns_by_the_seed_alone(count: int) -> None:
    taken = [turn(seed, count) for seed in range(4 * count)]
    assert set(taken[: 2 * count - 1]) == set(range(count))
    assert 2 * taken.count(0) >= len(taken)
    # Even and odd seeds are two kinds of interleavings.
    for kind in (0, 1):
        assert {turn(seed, count) for seed in range(kind, 8 * count, 2)} == set(range(count))


def only_in(edited: Program, schedule: Schedule, which: int) -> None:
    """A faulty kernel passes in the first shape, is found in another, and in all shapes within few interleavings."""
    setups = small_setups(schedule)
    assert search(edited, setups[:1], interleavings=2).verified
    assert search(edited, setups[which : which + 1], interleavings=2).findings
    outcome = search(edited, setups, interleavings=2 * len(setups) - 1)
    assert outcome.error is None
    assert setups[which].values in [finding.shape for finding in outcome.findings]


def test_a_reader_at_the_wrong_slot_is_seen_at_an_odd_number_of_blocks_alone() -> None:
    checked, schedule = combine()
    program = program_of(checked, schedule)
    right = "word = ((slot * tiles_d + d_tile) * W + src) * 8"
    assert program.kernel.count(right) == 1
    wrong = "word = (((blk + 1) % 2 * tiles_d + d_tile) * W + src) * 8"
    only_in(replace(program, kernel=program.kernel.replace(right, wrong)), schedule, 1)


def test_cores_that_do_not_announce_are_seen_where_some_have_no_task() -> None:
    # With a tile of the spec's there are as many cores as it says; a launcher that chooses takes no more than tasks.
    text = (SPECS / "reverse_all2all.a2a").read_text(encoding="utf-8")
    checked = check(Source("tiled.a2a", text.replace("link  ldst\n", "link  ldst\n    tile  D 4096\n")))
    schedule = next(s for s in checked.schedules if s.name == "direct")
    program = program_of(checked, schedule)
    right = "    for i in range(W):\n"
    assert program.kernel.count(right) == 1
    wrong = "    for i in range(W if pid < S * H * tiles_d * W else 0):\n"
    only_in(replace(program, kernel=program.kernel.replace(right, wrong)), schedule, 1)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(s0 + offs_s < S)", "(s0 + offs_s < S + 1)"),
        ("s0 = s_tile * TILE_S", "s0 = s_tile"),
        ("tiles_s = tl.cdiv(S, TILE_S)", "tiles_s = S // TILE_S"),
        ("run0 = run_tile * TILE_RUN", "run0 = run_tile"),
        ("(run0 + offs_run < run)", "(run0 + offs_run < run + 1)"),
        ("arrived += dl.wait(", "arrived = dl.wait("),
        ("admitted += dl.wait(", "admitted = dl.wait("),
    ],
)
def test_tiles_of_the_launcher_are_strained(right: str, wrong: str) -> None:
    """Masks of rows and within a row, and a core that waits for several ranks with one token."""
    checked, schedule = of_spec("reverse_all2all.a2a", "direct")
    program, setups = program_of(checked, schedule), small_setups(schedule)
    assert right in program.kernel
    assert search(program, setups, interleavings=20).verified
    assert not search(replace(program, kernel=program.kernel.replace(right, wrong)), setups, interleavings=20).verified


@pytest.mark.parametrize(
    "bounds",
    [
        "where D <= 4 * S where D <= 4 * S",
        "where S <= W where D <= S",
        # Less of one is more than another may have: all at their least is not admitted.
        "where 300 * W <= D where D <= S",
        "where S * D <= 4096 where S <= 2 * D",
    ],
)
def test_shapes_keep_bounds_by_extents(bounds):
    text = COMBINE.replace("RANKS", "8").replace("SLOTS", "2").replace("in  A", f"{bounds}\n  in  A")
    (schedule,) = check(Source("combine.a2a", text)).schedules
    setups = small_setups(schedule)
    assert len(setups) > 1
    assert all(schedule.exchange.bounds.admits(setup.values) for setup in setups)
