"""Commands on a schedule that leaves the link to the launcher."""

from __future__ import annotations

import json

import pytest

SPEC = """\
exchange swap {
  ranks W in 2..8
  dim   S in 1..65536
  dim   D in 1..4096
  where S * D <= 2**28
  in  A : bf16 [(to S) D]
  out C : bf16 [S (from D)]
  case tiny { W = 2, S = 5, D = 8 }
  case huge { W = 2, S = 65536, D = 4096 }
}

schedule any for swap {
  target h200
  emit   triton_dist
  place  C symmetric
  role mover : all
  phase send on mover {
    move  A -> C
    link  auto
    ready notify per peer
    free  credit per peer
  }
  rounds epoch
}
"""


@pytest.fixture
def spec(specs):
    return specs(swap=SPEC) / "swap.a2a"


def test_plan_says_which_link_is_taken_and_why(cli, spec):
    done = cli("plan", spec)
    assert done.code == 0
    choice, *plans = done.out.split("\n\nswap by any_")
    assert [text.partition(":")[0] for text in plans] == ["ldst", "ce"]
    lines = choice.splitlines()
    assert lines[0] == "swap by any: the launcher takes the link that is faster at its shape"
    assert "ldst starts in 4.2 us, and carries 364 GB/s to other ranks" in lines[1]
    assert "ce starts in 24 us, and carries 390 GB/s to other ranks" in lines[2]
    assert lines[3] == "  tiny W = 2, S = 5, D = 8: 80 bytes to other ranks, predicted"
    assert lines[6] == "  huge W = 2, S = 65536, D = 4096: 536870912 bytes to other ranks, predicted"
    assert [line.split()[0] for line in lines[4:6] + lines[7:9] if line.endswith(", taken")] == ["ldst", "ce"]


def test_plan_of_a_shape(cli, spec):
    done = cli("plan", spec, "-D", "W=4", "-D", "S=7", "-D", "D=24")
    assert "  for W = 4, S = 7, D = 24: 1008 bytes to other ranks, predicted" in done.out
    assert done.out.count("taken") == 1


def test_run_and_simulate_take_both_links(cli, spec):
    done = cli("run", spec, "--schedule", "any", "--case", "tiny", "--format", "json")
    assert done.code == 0
    results = json.loads(done.out)["results"]
    assert [(r["schedule"], r["link"], r["verified"]) for r in results] == [("any", "ldst", True), ("any", "ce", True)]
    done = cli("simulate", spec, "--interleavings", "3", "--format", "json")
    assert done.code == 0
    assert {(r["schedule"], r["link"]) for r in json.loads(done.out)["shapes"]} == {("any", "ldst"), ("any", "ce")}


def test_a_name_of_one_way_is_no_schedule(cli, spec):
    done = cli("run", spec, "--schedule", "any_ce")
    assert done.code == 2
    assert "there is no schedule any_ce; the only schedule is any" in done.err


def test_compile_makes_one_folder(cli, spec):
    done = cli("compile", spec)
    assert done.out.endswith("1 schedule: 3 files written, 0 unchanged\n")
    assert cli("compile", "--check", spec).code == 0
