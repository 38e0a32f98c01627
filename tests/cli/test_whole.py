"""Every command on one small spec, with the real stages behind it."""

from __future__ import annotations

import json

import pytest

SPEC = """\
exchange swap {
  ranks W in 2..4
  dim   S in 1..64
  in  A : f32 [(to S)]
  out C : f32 [S from]
  case tiny { W = 2, S = 5 }
}

schedule pipelined for swap {
  target ascend910c
  emit   triton_dist
  cores  4
  block  S by 4
  buffer P : [S from] symmetric per block slots 2
  role sender : even
  role reader : odd
  phase send on sender {
    move  A -> P
    link  mte
    tile  S 4
    ready notify per tile
    free  credit per tile
  }
  phase read on reader {
    move  P -> C
    link  mte
    tile  S 4
  }
  rounds reset
}
"""


@pytest.fixture
def spec(specs):
    folder = specs(swap=SPEC)
    return folder / "swap.a2a"


def test_lint(cli, spec):
    done = cli("lint", spec)
    assert done.code == 0
    assert done.out.startswith("1 spec checked, no findings")


def test_compile_and_check(cli, spec):
    assert cli("compile", spec).code == 0
    folder = spec.parent / "generated/swap/pipelined"
    assert sorted(path.name for path in folder.iterdir()) == ["kernel.py", "launcher.py", "manifest.json"]
    assert cli("compile", "--check", spec).code == 0
    spec.write_text(SPEC.replace("in 2..4", "in 2..5"))
    done = cli("compile", "--check", spec)
    assert done.code == 1
    assert "stale" in done.out


def test_the_header_is_the_same_from_any_folder(cli, spec, monkeypatch):
    specs, output = spec.parent / "specs", spec.parent / "generated"
    specs.mkdir()
    spec = spec.rename(specs / spec.name)
    assert cli("compile", "specs/swap.a2a").code == 0
    head = (output / "swap/pipelined/kernel.py").read_text().splitlines()[:4]
    assert head[1].startswith("#   spec     specs/swap.a2a, ")
    assert head[3] == "#   command  a2agen compile specs/swap.a2a"
    monkeypatch.chdir(specs)
    assert cli("compile", "--check", "swap.a2a", "-o", "../generated").code == 0
    monkeypatch.chdir("/")
    assert cli("compile", "--check", spec, "-o", output).code == 0


def test_run(cli, spec):
    done = cli("run", spec, "--interleavings", 2, "--format", "json")
    assert (done.code, done.err) == (0, "")
    (result,) = json.loads(done.out)["results"]
    assert (result["schedule"], result["case"]) == ("pipelined", "tiny")
    assert (result["verified"], result["error"]) == (True, None)
    assert (result["launches"], result["interleavings"]) == (3, 2)


def test_simulate(cli, spec):
    done = cli("simulate", spec, "--interleavings", 3, "--format", "json")
    assert (done.code, done.err) == (0, "")
    document = json.loads(done.out)
    shapes = document.pop("shapes")
    assert document == {"version": 1, "interleavings": 3, "wrong": 0, "deadlocks": 0, "findings": []}
    # 2 slots of 4: four blocks, then five; and the second shape once in three interleavings.
    assert [(s["shape"], s["interleavings"]) for s in shapes] == [({"W": 3, "S": 15}, 2), ({"W": 3, "S": 19}, 1)]


def test_simulate_finds_what_an_edit_breaks(cli, spec):
    cli("compile", spec)
    kernel = spec.parent / "generated/swap/pipelined/kernel.py"
    lines = kernel.read_text().splitlines(keepends=True)
    fences = [i for i, line in enumerate(lines) if "fence()" in line]
    assert fences
    del lines[fences[0]]
    kernel.write_text("".join(lines))
    arguments = ("simulate", "--kernel", kernel, "--spec", spec, "--schedule", "pipelined", "--format", "json")
    done = cli(*arguments)
    assert (done.code, done.err) == (1, "")
    findings = json.loads(done.out)["findings"]
    assert {"kind", "rank", "core", "line", "text", "seed", "shape", "cores"} <= set(findings[0])
    race = next(finding for finding in findings if finding["kind"] == "race")
    # What the finding says shows it again.
    extents = [part for name, value in race["shape"].items() for part in ("-D", f"{name}={value}")]
    again = (*arguments, *extents, "--cores", race["cores"], "--seed", race["seed"], "--interleavings", 1)
    assert race in json.loads(cli(*again).out)["findings"]


def test_a_kernel_that_is_no_python_is_exit_2(cli, spec):
    (spec.parent / "kernel.py").write_text("def broken(:\n")
    done = cli("simulate", "--kernel", "kernel.py", "--spec", spec, "--schedule", "pipelined")
    assert (done.code, done.out) == (2, "")
    assert "internal error" not in done.err


def test_plan(cli, spec):
    done = cli("plan", spec, "--case", "tiny")
    assert done.code == 0
    assert done.out.startswith("swap by pipelined: target ascend910c")


def test_every_code_that_is_found_is_explained(cli, spec):
    head, tail = SPEC.replace("-> P", "-> Q").rsplit("mte", 1)
    spec.write_text(f"{head}udma{tail}")
    codes = {finding["code"] for finding in json.loads(cli("lint", spec, "--format", "json").out)["findings"]}
    assert len(codes) > 1
    for code in codes:
        assert cli("explain", code).code == 0


def test_the_header_names_another_output_folder(cli, spec, monkeypatch):
    monkeypatch.chdir(spec.parent)
    (spec.parent / "made here").mkdir()
    assert cli("compile", "swap.a2a", "-o", "made here/all").code == 0
    folder = spec.parent / "made here"
    kernel = folder / "all/swap/pipelined/kernel.py"
    (told,) = (line for line in kernel.read_text().splitlines() if line.startswith("#   command"))
    assert told == "#   command  a2agen compile -o all ../swap.a2a"
    # The command does what it says, run where the folder lies.
    text = kernel.read_text()
    kernel.unlink()
    monkeypatch.chdir(folder)
    assert cli("compile", "../swap.a2a", "-o", "all").code == 0
    assert kernel.read_text() == text
    assert cli("compile", "--check", "../swap.a2a", "-o", "all").code == 0


def test_a_spec_without_schedules(cli, specs):
    folder = specs(plain=SPEC.partition("schedule")[0])
    spec = folder / "plain.a2a"
    assert cli("lint", spec).out.startswith("1 spec checked, no findings")
    for arguments in (("compile", spec), ("compile", "--check", spec)):
        done = cli(*arguments)
        assert done.code == 0
        assert f"{spec} has no schedule: there is nothing to compile" in done.out
    for command in ("run", "simulate", "plan"):
        done = cli(command, spec)
        assert (done.code, done.out) == (2, "")
        assert f"has no schedule: there is nothing to {command}" in " ".join(done.err.split())


def test_more_cores_than_a_launch_has_are_refused(cli, spec):
    done = cli("simulate", spec, "--cores", 5, "--interleavings", 1)
    assert (done.code, done.out) == (2, "")
    assert "pipelined: a launch has 4 cores, not 5: `cores` says so" in " ".join(done.err.split())
    spec.write_text(SPEC.replace("  cores  4\n", ""))
    done = cli("simulate", spec, "--cores", 49, "--interleavings", 1)
    assert "a launch has 48 cores, not 49: ascend910c runs no more at once" in " ".join(done.err.split())


def test_one_is_not_many(cli, spec):
    done = cli("simulate", spec, "--interleavings", 1)
    assert "swap/pipelined: 1 interleaving, nothing found" in done.out
    done = cli("run", spec, "--interleavings", 1, "--launches", 1)
    assert "verified  1 launch x 1 interleaving " in done.out
