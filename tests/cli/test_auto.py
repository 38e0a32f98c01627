"""Commands on a schedule that leaves the link to the launcher."""

from __future__ import annotations

import json
import re

import pytest

from tests.auto_spec import auto_spec
from tests.straight import straight


@pytest.fixture
def spec(specs):
    return specs(combine=auto_spec()) / "combine.a2a"


CHOICE = """\
combine by chosen: the launcher takes the link, the tile and the programs that it predicts to be fastest
  ldst starts in 4.2 us, and carries 364 GB/s to other ranks; a task takes 0.38 us and its bytes at 68 GB/s, \
telling a peer 0.017 us a program
  ce starts in 24 us, and carries 390 GB/s to other ranks
"""


def test_plan_says_what_is_taken_at_which_size_and_why(cli, spec):
    done = cli("plan", spec)
    assert done.code == 0
    choice, *plans = done.out.split("\n\ncombine by chosen, link ")
    assert [text.partition(":")[0] for text in plans] == ["ldst", "ce"]
    assert choice.startswith(CHOICE)
    told = choice.removeprefix(CHOICE).split("  at ")[1:]
    assert [text.splitlines()[0] for text in told] == ["W = 3, H = 2, D = 24", "W = 2, H = 8, D = 512"]
    rows = [row.split() for row in told[1].splitlines()[1:]]
    assert [row[3] for row in rows] == ["ldst", "ldst", "ldst", "ce"]
    assert [row[-2] for row in rows] == ["ce", "ce", "ce", "ldst"]
    assert len({row[2] for row in rows}) == len(rows)


def test_plan_names_no_tile_before_it_is_chosen(cli, spec):
    out = cli("plan", spec).out
    assert "with TILE_S and TILE_RUN as the launcher chooses, " in out
    assert out.count("at most 264 cores") == 2
    assert "TILE_S =" not in out


def test_plan_of_a_shape_is_of_what_runs_there(cli, spec):
    small = cli("plan", spec, "-D", "W=4", "-D", "S=7", "-D", "H=3", "-D", "D=24").out
    assert small.startswith(
        CHOICE
        + """\
  at W = 4, H = 3, D = 24
    S = 7  ldst  tiles of 8 x 128 elements  4 programs  4.8 us, not ce 24.0

combine by chosen, link ldst: target h200, emit triton_dist, 4 of 264 cores, rounds epoch
"""
    )
    assert "with TILE_S = 8, TILE_RUN = 128, " in small
    assert "launch combine_chosen_ldst on 4 of 264 cores" in small
    assert "combine_chosen_ce" not in small
    large = cli("plan", spec, "--case", "large").out
    assert re.search(r"^    S = 65536  ce  copies of the host +1400\.6 us, not ldst \d+\.\d$", large, re.MULTILINE)
    assert "combine by chosen, link ce: target h200, emit triton_dist, 8 cores" in large
    assert "combine_chosen_ldst" not in large


def test_plan_of_a_launcher_that_chooses_the_tile_alone(cli, specs):
    specs(direct=auto_spec().replace("auto", "ldst"))
    out = cli("plan", "direct.a2a", "--case", "large").out
    assert out.startswith("combine by chosen: the launcher takes the tile and the programs that it predicts")
    assert "    S = 65536  ldst  tiles of 2 x 4096 elements  264 programs  " in out
    assert "with TILE_S = 2, TILE_RUN = 4096, " in out


def test_without_a_case_plan_asks_for_a_shape(cli, specs):
    text = auto_spec()
    specs(bare="".join(line for line in text.splitlines(keepends=True) if "case" not in line))
    assert CHOICE + "  no case says for which shapes to tell it: give one with -D\n\n" in cli("plan", "bare.a2a").out


def test_run_and_simulate_take_both_links(cli, spec):
    done = cli("run", spec, "--schedule", "chosen", "--case", "tails", "--format", "json")
    assert done.code == 0
    results = json.loads(done.out)["results"]
    wanted = [("chosen", "ldst", True), ("chosen", "ce", True)]
    assert [(r["schedule"], r["link"], r["verified"]) for r in results] == wanted
    done = cli("simulate", spec, "--interleavings", "3", "--format", "json")
    assert done.code == 0
    assert {(r["schedule"], r["link"]) for r in json.loads(done.out)["shapes"]} == {(s, link) for s, link, _ in wanted}


def test_a_link_is_chosen_by_the_name_that_texts_give_it(cli, spec):
    done = cli("run", spec, "--schedule", "chosen_ce", "--case", "tails", "--format", "json")
    assert [(r["schedule"], r["link"]) for r in json.loads(done.out)["results"]] == [("chosen", "ce")]
    plan = cli("plan", spec, "--schedule", "chosen_ce", "--case", "tails").out
    assert plan.startswith(CHOICE)
    assert "  S = 13  ldst  " in plan
    assert "combine by chosen, link ce: " in plan
    assert "combine by chosen, link ldst: " not in plan


def test_a_schedule_comes_before_a_link_of_another(cli, specs):
    specs(both=auto_spec() + straight("combine", "chosen_ce", "ldst"))
    assert "combine by chosen_ce: target" in cli("plan", "both.a2a", "--schedule", "chosen_ce").out
    assert "link ce: " not in cli("plan", "both.a2a", "--schedule", "chosen_ce").out


def test_a_mistyped_name_says_what_was_meant(cli, spec):
    done = cli("run", spec, "--schedule", "chsen")
    assert (done.code, done.out) == (2, "")
    assert "there is no schedule chsen; did you mean chosen?" in done.err
    done = cli("run", spec, "--schedule", "put")
    assert "there is no schedule put; the only schedule is chosen" in done.err


def test_compile_makes_one_folder(cli, spec):
    done = cli("compile", spec)
    assert done.out.endswith("1 schedule: 3 files written, 0 unchanged\n")
    assert cli("compile", "--check", spec).code == 0
