"""`run --engine cuda` and `bench`, with a stand-in for the engine."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("emits")

TIMES = {
    "bytes": 4096,
    "ours": {"verified": True, "eager": [10.0, 9.0, 12.5], "graph": [5.0, 4.0, 6.0]},
    "baseline": {"verified": True, "eager": [40.0, 30.0, 50.0], "graph": [15.0, 14.0, 16.0]},
    "environment": {"torch": "2.11"},
}


@dataclass(frozen=True)
class Outcome:
    verified: bool = True
    launches: int = 3
    seconds: float = 0.1234
    error: str | None = None
    times: dict[str, Any] | None = None
    interleavings: int = 1


@dataclass(frozen=True)
class Machine:
    gpus: int
    place: Any = None


@dataclass(frozen=True)
class Place:
    rank: int
    size: int
    local: int


class MissingError(Exception):
    pass


@dataclass
class Gpus:
    """Two GPUs; `missing` says why there are none, `place` is that of torchrun, `within` are the links of a schedule
    that stay on one machine."""

    missing: str | None = None
    here: Place | None = None
    within: tuple[str, ...] = ("ldst",)
    outcome: Outcome = field(default_factory=Outcome)
    calls: list[dict[str, Any]] = field(default_factory=list)

    def gpus(self) -> int:
        if self.missing is not None:
            raise MissingError(self.missing)
        return 2

    def place(self) -> Place | None:
        return self.here

    def execute(self, checked: Any, schedule: Any, values: dict[str, int], machine: Machine, **options: Any) -> Outcome:
        self.calls.append({"schedule": schedule.name, "values": values, "place": machine.place, **options})
        return self.outcome


@pytest.fixture
def gpus(stand_in) -> Gpus:
    found = Gpus()
    stand_in("a2agen.engines.cuda.machine", UnavailableError=MissingError, gpus=found.gpus, place=found.place)
    stand_in("a2agen.engines.cuda.run", Machine=Machine, execute=found.execute)
    stand_in(
        "a2agen.passes.analysis",
        within_node=lambda schedule: tuple(SimpleNamespace(link=SimpleNamespace(name=name)) for name in found.within),
    )
    stand_in("a2agen.engines.support", unrunnable=lambda schedule, source, engine: ())
    return found


def test_run_says_what_ran_on_gpus(cli, specs, gpus):
    specs(a="schedule one\n")
    done = cli("run", "a.a2a", "--engine", "cuda", "--launches", "4", "--seed", "3")
    assert done.code == 0
    assert [(c["values"]["W"], c["launches"], c["seed"]) for c in gpus.calls] == [(2, 4, 3), (4, 4, 3)]
    assert done.out.splitlines() == [
        "swap/one  ascend910c  tiny  W=2 S=3  verified  3 launches    0.12 s",
        "swap/one  ascend910c  big   W=4 S=8  verified  3 launches    0.12 s",
        "2 runs on the cuda engine, all verified bit for bit, 0.2 s",
    ]


def test_run_reports_what_went_wrong(cli, specs, gpus):
    specs(a="schedule one\n")
    gpus.outcome = Outcome(verified=False, error="rank 1: the output of launch 2 is wrong")
    done = cli("run", "a.a2a", "--engine", "cuda", "--case", "tiny", "--format", "json")
    (record,) = json.loads(done.out)["results"]
    assert done.code == 1
    assert (record["engine"], record["verified"], record["interleavings"]) == ("cuda", False, 1)
    assert record["error"] == "rank 1: the output of launch 2 is wrong"


@pytest.mark.parametrize("command", [("run", "--engine", "cuda"), ("bench",)])
def test_no_gpu_is_an_error_with_a_way_out(cli, specs, gpus, command):
    specs(a="schedule one\n")
    gpus.missing = "the cuda engine needs torch; take --engine cpu"
    done = cli(command[0], "a.a2a", *command[1:], "--case", "tiny")
    assert (done.code, done.out) == (2, "")
    assert done.err == "Error: the cuda engine needs torch; take --engine cpu\n"


@pytest.mark.parametrize("option", [("--interleavings", "2"), ("--memory", "4"), ("--sanitizer", "thread")])
def test_options_of_the_cpu_engine_are_refused(cli, specs, gpus, option):
    specs(a="schedule one\n")
    done = cli("run", "a.a2a", "--engine", "cuda", *option)
    assert (done.code, gpus.calls) == (2, [])
    assert f"{option[0]} is for the cpu engine" in done.err


def test_under_torchrun_the_first_rank_speaks(cli, specs, gpus):
    specs(a="schedule one\n")
    for rank in range(2):
        gpus.here = Place(rank, 2, 2)
        done = cli("run", "a.a2a", "--engine", "cuda", "--case", "tiny")
        assert done.code == 0
        assert bool(done.out) is (rank == 0)
    assert [c["place"].rank for c in gpus.calls] == [0, 1]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (Place(0, 4, 2), "torchrun started 4 ranks, 2 of them here"),
        (Place(0, 3, 3), "has 2 ranks, and torchrun started 3: give W=3"),
    ],
)
def test_ranks_of_torchrun_that_do_not_fit(cli, specs, gpus, place, said):
    specs(a="schedule one\n")
    gpus.here = place
    done = cli("run", "a.a2a", "--engine", "cuda", "--case", "tiny")
    assert done.code == 2
    assert said in done.err


def test_puts_alone_leave_the_machine(cli, specs, gpus):
    specs(a="schedule one\n")
    gpus.here = Place(0, 2, 1)
    done = cli("run", "a.a2a", "--engine", "cuda", "--case", "tiny")
    assert (done.code, gpus.calls) == (2, [])
    assert "the link ldst of one stays within one machine, and `link put` alone leaves it" in done.err
    gpus.within = ()
    assert cli("run", "a.a2a", "--engine", "cuda", "--case", "tiny").code == 0
    assert [c["place"] for c in gpus.calls] == [Place(0, 2, 1)]


def test_bench_compares_with_what_one_would_take_instead(cli, specs, gpus):
    specs(a="schedule one\n")
    gpus.outcome = Outcome(times=TIMES)
    done = cli("bench", "a.a2a", "--case", "tiny", "--batches", "5")
    assert done.code == 0
    assert gpus.calls[0]["batches"] == 5
    assert [line.split() for line in done.out.splitlines()[1:]] == [
        ["swap/one", "W=2", "S=3", "4096", "eager", "10.0", "9.0", "12.5", "40.0", "4.00"],
        ["swap/one", "W=2", "S=3", "4096", "graph", "5.0", "4.0", "6.0", "15.0", "3.00"],
    ]


def test_json_of_bench(cli, specs, gpus):
    specs(a="schedule one\n")
    gpus.outcome = Outcome(times=TIMES | {"ours": TIMES["ours"] | {"graph": None}})
    done = cli("bench", "a.a2a", "--case", "tiny", "--format", "json")
    (record,) = json.loads(done.out)["results"]
    assert record["ours"] == {"eager": {"median": 10.0, "min": 9.0, "max": 12.5}, "graph": None}
    assert record["baseline"]["graph"] == {"median": 15.0, "min": 14.0, "max": 16.0}
    assert (record["verified"], record["environment"], record["error"]) == (True, {"torch": "2.11"}, None)


def test_bench_of_a_wrong_kernel_fails(cli, specs, gpus):
    specs(a="schedule one\n")
    gpus.outcome = Outcome(verified=False, error="a timed launch gave a wrong output", times=TIMES)
    done = cli("bench", "a.a2a", "--case", "tiny")
    assert done.code == 1
    assert done.out.splitlines() == ["swap/one  W=2 S=3  not verified", "    a timed launch gave a wrong output"]


def test_bench_of_a_faulty_spec_says_that_it_was_not_timed(cli, specs, gpus):
    specs(a="schedule one\n# error\n")
    done = cli("bench", "a.a2a")
    assert (done.code, gpus.calls) == (1, [])
    assert done.out.endswith("1 error in 1 spec; what is at fault was not timed\n")


def test_bench_wants_a_gpu_for_each_rank(cli, specs, gpus):
    specs(a="schedule one\n")
    done = cli("bench", "a.a2a", "--case", "big")
    assert (done.code, gpus.calls) == (2, [])
    assert "has 4 ranks, and there are 2 GPUs: ranks that share a GPU show no speed" in done.err


def test_bench_does_not_time_a_simulation(cli, specs):
    specs(a="schedule one\n")
    done = cli("bench", "a.a2a", "--engine", "cpu")
    assert done.code == 2
    assert "simulated time is no speed" in done.err
