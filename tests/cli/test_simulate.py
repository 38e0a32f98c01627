from __future__ import annotations

import json
from pathlib import Path

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
        too_few_cores=engine.too_few_cores,
        too_many_cores=engine.too_many_cores,
    )
    return engine


def test_a_clean_kernel(cli, specs, engine):
    specs(a="schedule one\nschedule two\n")
    done = cli("simulate", "a.a2a", "--interleavings", 7, "--seed", 3, "--cores", 4, "--launches", 2)
    assert done.code == 0
    options = {"kernel": None, "cores": 4, "launches": 2, "interleavings": 7, "seed": 3}
    assert engine.calls == [{"schedule": name, "values": None, **options} for name in ("one", "two")]
    assert done.out.splitlines()[:3] == [
        "swap/one: 5 interleavings, nothing found, 0.1 s",
        "    3 at W=2 S=9 with 4 cores",
        "    2 at W=4 S=1 with 1 core",
    ]


def test_json_adds_up_the_schedules(cli, specs, engine):
    specs(a="schedule one\nschedule two\n")
    engine.outcomes["two"] = BROKEN
    done = cli("simulate", "a.a2a", "--format", "json")
    assert done.code == 1
    assert json.loads(done.out) == {
        "version": 1,
        "interleavings": 10,
        "wrong": 2,
        "deadlocks": 1,
        "findings": [
            {
                "kind": "race",
                "exchange": "swap",
                "schedule": "two",
                "rank": 1,
                "core": 3,
                "line": 42,
                "text": "P[0] read before it is written",
                "seed": 7,
                "shape": {"W": 2, "S": 9},
                "cores": 4,
            },
            {
                "kind": "deadlock",
                "exchange": "swap",
                "schedule": "two",
                "rank": None,
                "core": None,
                "line": None,
                "text": "no core can go on",
                "seed": 8,
                "shape": {"W": 4, "S": 1},
                "cores": 1,
            },
        ],
        "shapes": [
            {"exchange": "swap", "schedule": name, "shape": shape, "cores": cores, "interleavings": n}
            for name in ("one", "two")
            for shape, cores, n in (({"W": 2, "S": 9}, 4, 3), ({"W": 4, "S": 1}, 1, 2))
        ],
    }


def test_findings_in_text(cli, specs, engine):
    specs(a="schedule one\n")
    engine.outcomes["one"] = BROKEN
    done = cli("simulate", "a.a2a", "--case", "tiny")
    assert done.code == 1
    assert engine.calls[0]["values"] == {"W": 2, "S": 3}
    assert "5 interleavings, 2 findings, 2 wrong, 1 deadlocked" in done.out
    assert "\n  race: P[0] read before it is written (at W=2 S=9 with 4 cores, seed 7)\n" in done.out


def test_a_kernel_file_with_its_spec(cli, specs, engine):
    folder = specs(a="schedule one\nschedule two\n")
    (folder / "kernel.py").write_text("pass\n")
    done = cli("simulate", "--kernel", "kernel.py", "--spec", "a.a2a", "--schedule", "two")
    assert done.code == 0
    assert [(c["schedule"], c["kernel"]) for c in engine.calls] == [("two", Path("kernel.py"))]


def test_the_one_schedule_of_a_kernel_s_spec_need_not_be_named(cli, specs, engine):
    folder = specs(a="schedule one\n", b="schedule one\nschedule two\n")
    (folder / "kernel.py").write_text("pass\n")
    assert cli("simulate", "--kernel", "kernel.py", "--spec", "a.a2a").code == 0
    assert [(c["schedule"], c["kernel"]) for c in engine.calls] == [("one", Path("kernel.py"))]
    done = cli("simulate", "--kernel", "kernel.py", "--spec", "b.a2a")
    assert (done.code, done.out) == (2, "")
    assert "the spec has schedules one, two: say which by --schedule" in done.err
    assert len(engine.calls) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one SPEC, or a kernel by"),
        (["a.a2a", "--spec", "a.a2a"], "name one SPEC, or a kernel by"),
        (["--kernel", "kernel.py"], "--kernel wants the spec that it is for by --spec:"),
        (["a.a2a", "--kernel", "out"], "--kernel wants the spec that it is for by --spec:"),
        (["a.a2a", "--kernel", "kernel.py", "--spec", "a.a2a"], "and a.a2a is one more:"),
    ],
)
def test_wrong_use_of_a_kernel_shows_the_right_one(cli, specs, engine, arguments, message):
    folder = specs(a="schedule one\n")
    (folder / "kernel.py").write_text("pass\n")
    done = cli("simulate", *arguments)
    assert done.code == 2
    said = " ".join(done.err.split())
    assert message in said
    assert "a2agen simulate --kernel FILE --spec SPEC [--schedule NAME]" in said


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("kernl.py", "there is no file kernl.py; did you mean kernel.py?"),
        (".", ". is a folder; name the kernel"),
        ("latin.py", "can't read latin.py: it is not UTF-8"),
    ],
)
def test_a_kernel_that_can_not_be_read(cli, specs, engine, kernel, message):
    folder = specs(a="schedule one\n")
    (folder / "kernel.py").write_text("pass\n")
    (folder / "latin.py").write_bytes(b"\xe9")
    done = cli("simulate", "--kernel", kernel, "--spec", "a.a2a", "--schedule", "one")
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_kernel_that_does_not_load_is_exit_2(cli, specs, engine, form):
    folder = specs(a="schedule one\n")
    (folder / "kernel.py").write_text("pass\n")
    engine.outcomes["one"] = Outcome(verified=False, error="line 1 has no kernel")
    done = cli("simulate", "--kernel", "kernel.py", "--spec", "a.a2a", "--schedule", "one", "--format", form)
    assert (done.code, done.out) == (2, "")
    assert "kernel.py: line 1 has no kernel" in done.err


def test_a_schedule_that_is_not_emitted_is_a_finding(cli, specs, engine):
    specs(a="schedule easy\nschedule hard\n")
    done = cli("simulate", "a.a2a", "--format", "json")
    assert done.code == 1
    assert [f["kind"] for f in json.loads(done.out)["findings"]] == ["spec"]
    assert engine.calls == []
    assert cli("simulate", "a.a2a", "--schedule", "easy").code == 0


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_faulty_spec_is_not_simulated(cli, specs, engine, form):
    specs(a="schedule one\n# error\n")
    done = cli("simulate", "a.a2a", "--format", form)
    assert done.code == 1
    assert engine.calls == []
    if form == "json":
        document = json.loads(done.out)
        assert document["interleavings"] == 0
        assert document["findings"][0]["kind"] == "spec"
        assert document["findings"][0]["text"] == "A301 no such link"
    else:
        assert "error[A301]" in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--kernel", "missing.py", "--spec", "a.a2a", "--schedule", "one"],
        ["a.a2a", "--schedule", "two"],
        ["a.a2a", "--case", "huge"],
        ["a.a2a", "--interleavings", "0"],
        ["a.a2a", "--cores", "1"],
        ["a.a2a", "--cores", "9"],
        ["a.a2a", "-D", "S=64", "-D", "W=2", "--memory", "1"],
    ],
)
def test_wrong_use(cli, specs, engine, arguments):
    folder = specs(a="schedule one\n")
    (folder / "kernel.py").write_text("pass\n")
    done = cli("simulate", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert engine.calls == []
