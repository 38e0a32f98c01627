from __future__ import annotations

import json

import pytest

from tests.cli.engine import BROKEN, Engine, Outcome

pytestmark = pytest.mark.usefixtures("emits")


@pytest.fixture
def engine(stand_in) -> Engine:
    engine = Engine()
    stand_in(
        "a2agen.engines.cpu.run",
        run_schedule=engine.run_schedule,
        simulate=engine.simulate,
        memory_needed=engine.memory_needed,
    )
    return engine


def test_runs_every_schedule_on_every_case(cli, specs, engine):
    specs(a="schedule one\n", b="schedule two\n")
    done = cli("run", "a.a2a", "b.a2a")
    assert done.code == 0
    assert [(c["schedule"], c["values"]) for c in engine.calls] == [
        ("one", {"W": 2, "S": 3}),
        ("one", {"W": 4, "S": 8}),
        ("two", {"W": 2, "S": 3}),
        ("two", {"W": 4, "S": 8}),
    ]
    assert all((c["launches"], c["interleavings"], c["seed"]) == (3, 5, 0) for c in engine.calls)
    assert done.out.splitlines() == [
        "swap/one  ascend910c  tiny  W=2 S=3  verified  3 launches x 5 interleavings    0.12 s",
        "swap/one  ascend910c  big   W=4 S=8  verified  3 launches x 5 interleavings    0.12 s",
        "swap/two  ascend910c  tiny  W=2 S=3  verified  3 launches x 5 interleavings    0.12 s",
        "swap/two  ascend910c  big   W=4 S=8  verified  3 launches x 5 interleavings    0.12 s",
        "4 runs on the cpu engine, all verified bit for bit, 0.5 s",
    ]


def test_json_of_a_verified_run(cli, specs, engine):
    specs(a="schedule one\n")
    done = cli("run", "a.a2a", "--case", "tiny", "--seed", "9", "--format", "json")
    assert done.code == 0
    assert json.loads(done.out) == {
        "version": 1,
        "results": [
            {
                "spec": "a.a2a",
                "exchange": "swap",
                "schedule": "one",
                "target": "ascend910c",
                "case": "tiny",
                "engine": "cpu",
                "verified": True,
                "launches": 3,
                "interleavings": 5,
                "seed": 9,
                "seconds": 0.123,
                "error": None,
            }
        ],
        "findings": [],
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_wrong_result_is_exit_1(cli, specs, engine, form):
    specs(a="schedule one\nschedule two\n")
    engine.outcomes["two"] = BROKEN
    done = cli("run", "a.a2a", "--case", "tiny", "--format", form)
    assert done.code == 1
    if form == "json":
        first, second = json.loads(done.out)["results"]
        assert (first["error"], second["verified"]) == (None, False)
        assert second["error"].splitlines() == [
            "of 5 interleavings 2 wrong, 1 deadlocked",
            "race: P[0] read before it is written (at W=2 S=9 with 4 cores, seed 7)",
            "deadlock: no core can go on (at W=4 S=1 with 1 core, seed 8)",
        ]
    else:
        assert "WRONG" in done.out
        assert "    race: P[0] read before" in done.out
        assert "2 runs on the cpu engine, 1 wrong" in done.out


def test_the_reason_of_an_engine_is_shown(cli, specs, engine):
    specs(a="schedule one\n")
    engine.outcomes["one"] = Outcome(verified=False, error="no memory for 8 ranks")
    assert json.loads(cli("run", "a.a2a", "--format", "json").out)["results"][0]["error"] == "no memory for 8 ranks"


def test_a_spec_with_findings_has_no_results(cli, specs, engine):
    specs(a="schedule one\n", b="schedule two\n# error\n")
    done = cli("run", "a.a2a", "b.a2a", "--case", "big", "--format", "json")
    document = json.loads(done.out)
    assert done.code == 1
    assert [r["spec"] for r in document["results"]] == ["a.a2a"]
    assert [(f["path"], f["code"]) for f in document["findings"]] == [("b.a2a", "A301")]
    done = cli("run", "b.a2a", "--format", "json")
    assert (done.code, json.loads(done.out)["results"]) == (1, [])
    done = cli("run", "b.a2a")
    assert done.code == 1
    assert done.out.endswith("1 error in 1 spec; what is at fault was not run\n")
    assert [c["schedule"] for c in engine.calls] == ["one"]


def test_a_schedule_that_is_not_emitted_is_a_finding(cli, specs, engine):
    specs(a="schedule easy\nschedule hard\n")
    done = cli("run", "a.a2a", "--case", "tiny", "--format", "json")
    document = json.loads(done.out)
    assert done.code == 1
    assert [r["schedule"] for r in document["results"]] == ["easy"]
    assert [f["code"] for f in document["findings"]] == ["A399"]
    assert cli("run", "a.a2a", "--schedule", "easy").code == 0
    done = cli("run", "a.a2a", "--schedule", "hard")
    assert done.code == 1
    assert "error[A399]" in done.out


def test_values_on_the_command_line_are_a_shape_without_a_case(cli, specs, engine):
    specs(a="schedule one\nschedule two\n")
    done = cli("run", "a.a2a", "--schedule", "two", "-D", "S=64", "-D", "W=2", "--memory", 2, "--format", "json")
    assert done.code == 0
    assert [(c["schedule"], c["values"]) for c in engine.calls] == [("two", {"S": 64, "W": 2})]
    assert json.loads(done.out)["results"][0]["case"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--schedule", "three"], "there is no schedule three; the only schedule is one"),
        (["--case", "huge"], "there is no case huge; the cases are tiny, big"),
        (["-D", "S=65", "-D", "W=2"], "-D S=65: S lies in 1..64"),
        (["-D", "S=4"], "-D gives no value for W; swap needs all extents"),
        (["-D", "X=4"], "-D X=4: swap has no such extent; the extents are W, S"),
        (["-D", "s=4"], "-D s=4: swap has no such extent; did you mean S?"),
        (["-D", "S=-4"], "-D S=-4: expected a name and a number"),
        (["-D", "S=²"], "-D S=²: expected a name and a number"),
        (["-D", "S"], "-D S: expected a name and a number"),
        (["-D", "S=1", "-D", "S=2"], "-D gives S twice"),
        (["-D", "S=" + "9" * 5000, "-D", "W=2"], "S lies in 1..64"),
        (["--case", "tiny", "-D", "S=1"], "--case and -D exclude each other"),
        (["-D", "S=64", "-D", "W=2", "--memory", "1"], "at S=64 W=2 needs about 2147483648 bytes (2.0 GiB)"),
        (["--engine", "abacus"], "'abacus' is not"),
        (["--launches", "0"], "0 is not in the range"),
    ],
)
def test_wrong_use(cli, specs, engine, arguments, message):
    specs(a="schedule one\n")
    done = cli("run", "a.a2a", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in " ".join(done.err.split())
    assert engine.calls == []


def test_a_spec_without_schedules_is_wrong_use(cli, specs, engine):
    specs(a="", b="")
    done = cli("run", "a.a2a")
    assert (done.code, done.out) == (2, "")
    assert "a.a2a has no schedule: there is nothing to run" in done.err
    assert "a.a2a, b.a2a have no schedule: there is nothing to run" in cli("run", "a.a2a", "b.a2a").err
