"""Ctrl-C ends every command at once: exit 130, one word, no process left, and no file half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from a2agen.cli.app import run
from a2agen.engines.ascendc.toolchain import ToolError, compiler
from tests.cli.test_ascendc import SPEC as PUTS
from tests.passes.test_scale import KINDS

EXCHANGE = """exchange swap {
  ranks W in 2..4
  dim   S in 1..64
  dim   D in 1..256
  in  A : bf16 [(to S) D]
  out C : bf16 [(from S) D]
  case tiny { W = 2, S = 5, D = 24 }
}
"""
DIRECT = """schedule s$ for swap {
  target h200
  emit   triton_dist
  place  C symmetric
  role mover : all
  phase send on mover { move A -> C link ldst tile D 64 ready notify per peer free credit per peer }
  rounds epoch
}
"""
ENDLESS = ("--interleavings", "1000000")


def many_schedules(count: int) -> str:
    return EXCHANGE + "".join(DIRECT.replace("$", str(n)) for n in range(count))


def many_bounds(count: int) -> str:
    """What takes seconds to lint."""
    return "".join(KINDS["bounds of pairs"]().replace("exchange e ", f"exchange e{n} ") for n in range(count))


def behind_header(path: Path) -> list[str]:
    """The lines of an emitted file without the first ones, which name the command."""
    return path.read_text(encoding="utf-8").splitlines()[8:]


@pytest.fixture(autouse=True)
def _interrupts():
    """Started in the background, as by `make test &` in a script, tests ignore interrupts, and what they start too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


COMMANDS = {
    "lint": (("lint",), many_bounds(8)),
    "compile": (("compile", "-o", "out"), many_schedules(60)),
    "run": (("run", *ENDLESS), many_schedules(1)),
    "simulate": (("simulate", *ENDLESS), many_schedules(1)),
    "run ascendc": (("run", *ENDLESS), PUTS),
    "simulate ascendc": (("simulate", *ENDLESS), PUTS),
}


def processes(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] not in "ZX":
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "alone"])
@pytest.mark.parametrize("seconds", [0.02, 0.3, 0.6])
@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt(tmp_path, name, seconds, whole_group):
    """By a terminal the signal goes to the command and all that it has started, by `kill` to the command alone.

    The spec comes through a pipe, so that the command is at work as soon as it opens it. The earlier ones find nothing
    built, so that the C++ compiler is at work.
    """
    words, text = COMMANDS[name]
    if "ascendc" in name:
        try:
            compiler()
        except ToolError as missing:
            pytest.skip(str(missing))
    spec = tmp_path / "spec.a2a"
    os.mkfifo(spec)
    environment = {**os.environ, "A2AGEN_CACHE": str(tmp_path / "cache")} if seconds < 0.5 else None
    with subprocess.Popen(
        [sys.executable, "-m", "a2agen.cli", *words, spec.name],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as command:
        try:
            with spec.open("w", encoding="utf-8") as pipe:
                pipe.write(text)
            time.sleep(seconds)
            assert command.poll() is None, f"it has ended by itself: {command.communicate()}"
            (os.killpg if whole_group else os.kill)(command.pid, signal.SIGINT)
            _, said = command.communicate(timeout=60)
        finally:
            command.kill()
    assert (command.returncode, said.strip()) == (130, "interrupted")
    end = time.monotonic() + 5
    while processes(command.pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert processes(command.pid) == []
    for half in ("*.tmp", "*.half", ".new-*"):
        assert not list(tmp_path.rglob(half))
    if (tmp_path / "out").exists():
        spec.unlink()
        spec.write_text(text, encoding="utf-8")
        assert run(["compile", str(spec), "-o", str(tmp_path / "whole")]) == 0
        for path in (p for p in (tmp_path / "out").rglob("*") if p.is_file()):
            whole = tmp_path / "whole" / path.relative_to(tmp_path / "out")
            assert behind_header(path) == behind_header(whole)


# A command that drops an exception, as the interpreter does at the end of an import, and has a minute of work to do.
DROPPING = """
import signal, time, weakref
from a2agen.cli import interrupts, lint, main

class Object:
    pass

def raising(*_):
    {what}

def dropping(*_):
    {where}
    time.sleep({seconds})

lint.load = dropping
{before}
main()
"""
INTERRUPT = "signal.raise_signal(signal.SIGINT)"
WHERE = {
    "weakref": "thing = Object(); held = weakref.ref(thing, raising); del thing",
    "finalizer": "Object.__del__ = raising; Object()",
    "library": "try: raising()\n    except BaseException: pass",
}
REPORTED = ("weakref", "finalizer")


def dropping(where: str, what: str, before: str = "", seconds: float = 60) -> list[str]:
    code = DROPPING.format(where=WHERE[where], what=what, before=before, seconds=seconds)
    return [sys.executable, "-c", code, "lint", os.devnull]


@pytest.mark.parametrize("where", WHERE)
def test_an_interrupt_where_python_drops_it(where):
    done = subprocess.run(dropping(where, INTERRUPT), capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "interrupted")


@pytest.mark.parametrize("where", WHERE)
def test_it_would_be_lost_by_itself(where):
    command = dropping(where, INTERRUPT, before="interrupts.keep = lambda: None", seconds=0)
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert ("KeyboardInterrupt" in done.stderr) == (where in REPORTED)
    assert ("interrupted\n" in done.stderr, done.returncode == 130) == (False, False)


@pytest.mark.parametrize("where", REPORTED)
def test_another_dropped_exception_is_shown_and_ends_nothing(where):
    command = dropping(where, "1 / 0", seconds=0)
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert (done.stderr.count("ZeroDivisionError"), "interrupted" in done.stderr) == (1, False)


def test_nobody_interrupts_a_command_in_the_background():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    command = dropping("weakref", INTERRUPT, seconds=1)
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert ("nterrupt" in done.stderr, done.returncode == 130) == (False, False)


def test_a_failure_that_comes_of_an_interrupt(cli, monkeypatch, tmp_path):
    def interrupted(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise OSError("the folder is not empty")

    monkeypatch.setattr("a2agen.cli.lint.load", interrupted)
    done = cli("lint", str(tmp_path))
    assert (done.code, done.out, done.err) == (130, "", "interrupted\n")


def test_a_failure_of_its_own_is_none(cli, monkeypatch, tmp_path):
    def failed(*_: object) -> None:
        raise OSError("the folder is not empty")

    monkeypatch.setattr("a2agen.cli.lint.load", failed)
    done = cli("lint", str(tmp_path))
    assert (done.code, "internal error" in done.err) == (2, True)


def test_a_failure_whose_causes_go_in_a_circle(cli, monkeypatch, tmp_path):
    def failed(*_: object) -> None:
        first, second = OSError("the folder is not empty"), OSError("it is being used")
        first.__cause__, second.__cause__ = second, first
        raise first

    monkeypatch.setattr("a2agen.cli.lint.load", failed)
    done = cli("lint", str(tmp_path))
    assert (done.code, "internal error" in done.err) == (2, True)
