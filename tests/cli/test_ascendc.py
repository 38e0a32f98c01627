"""Commands on a spec whose kernel is Ascend C, from its text to what is printed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from a2agen.engines.ascendc import toolchain
from a2agen.engines.ascendc.toolchain import ToolError, compiler

SPEC = """
exchange swap {
  ranks W in 2..4
  dim   S in 1..64
  dim   D in 1..256
  in  A : bf16 [(to S) D]
  out C : bf16 [(from S) D]
  case tiny { W = 2, S = 5, D = 24 }
}

schedule puts for swap {
  target ascend950
  emit   ascendc
  cores  6
  buffer P : [from S D] symmetric
  role sender : even, one per peer
  role reader : odd
  phase exchange on sender {
    move  A -> P for others
    link  udma
    ready notify per peer
  }
  phase gather on reader {
    move  P -> C for others
    move  A -> C for self
    link  mte
    tile  S 8, D 128
  }
  rounds epoch
}
"""


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "swap.a2a").write_text(SPEC, encoding="utf-8")
    return tmp_path


@pytest.fixture
def _compiler():
    try:
        compiler()
    except ToolError as missing:
        pytest.skip(str(missing))


@pytest.mark.usefixtures("_compiler")
def test_run_and_simulate(cli, spec):
    done = cli("run", "swap.a2a", "--format", "json")
    (result,) = json.loads(done.out)["results"]
    assert (done.code, result["engine"], result["verified"], result["error"]) == (0, "cpu", True, None)
    done = cli("simulate", "swap.a2a", "--interleavings", "4", "--format", "json")
    document = json.loads(done.out)
    assert (done.code, document["interleavings"], document["findings"]) == (0, 4, [])


@pytest.mark.usefixtures("_compiler")
def test_a_kernel_that_somebody_edited(cli, spec):
    assert cli("compile", "swap.a2a").code == 0
    kernel = (spec / "generated/swap/puts/kernel.cpp").read_text(encoding="utf-8")
    quiet = next(line for line in kernel.splitlines() if "quiet(" in line)
    edited = spec / "edited.cpp"
    edited.write_text(kernel.replace(quiet, ""), encoding="utf-8")
    options = ("--spec", "swap.a2a", "--schedule", "puts", "--interleavings", "2")
    done = cli("simulate", "--kernel", "edited.cpp", *options, "--format", "json")
    findings = json.loads(done.out)["findings"]
    race = next(f for f in findings if f["kind"] == "race")
    assert done.code == 1
    assert race["text"].startswith(("read of P[half ", "write of P[half "))
    assert race["line"] in range(1, kernel.count("\n"))
    edited.write_text(kernel.replace(quiet, "    missing();"), encoding="utf-8")
    done = cli("simulate", "--kernel", "edited.cpp", *options)
    assert done.code == 2
    assert "edited.cpp:" in done.err
    assert "the C++ compiler refuses it" in done.err


def _children(process: int) -> list[int]:
    """The processes that one has started."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8")
    return [int(number) for number in text.split()]


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2][0] not in "ZX"
    except FileNotFoundError:
        return False


def _until(condition, seconds: float):
    """What a condition gives as soon as that is true, or in the end."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


@pytest.mark.usefixtures("_compiler")
def test_a_kernel_without_end_ends_with_the_command(cli, spec):
    assert cli("compile", "swap.a2a").code == 0
    kernel = (spec / "generated/swap/puts/kernel.cpp").read_text(encoding="utf-8")
    assert "i += lanes" in kernel
    (spec / "endless.cpp").write_text(kernel.replace("i += lanes", "i += 0"), encoding="utf-8")
    words = ("simulate", "--kernel", "endless.cpp", "--spec", "swap.a2a", "--schedule", "puts", "--interleavings", "1")
    with subprocess.Popen([sys.executable, "-m", "a2agen.cli", *words], cwd=spec) as command:
        # Behind the compiler's processes comes the program, whose name is no compiler's.
        def programs() -> list[int]:
            names = {n: Path(f"/proc/{n}/cmdline") for n in _children(command.pid)}
            return [n for n, at in names.items() if _runs(n) and b"/programs/" in at.read_bytes().split(b"\0")[0]]

        found = _until(programs, 120)
        assert found
        assert not _until(lambda: not _runs(found[0]), 1), "it ends by itself, which shows nothing"
        command.kill()
    assert _until(lambda: not _runs(found[0]), 10), "the program goes on"


@pytest.mark.usefixtures("_compiler")
def test_a_sanitizer(cli, spec):
    done = cli("run", "swap.a2a", "--sanitizer", "thread", "--interleavings", "1")
    assert (done.code, "verified" in done.out) == (0, True), done.out
    (spec / "swap.a2a").write_text(SPEC.replace("emit   ascendc", "emit   triton_dist"), encoding="utf-8")
    done = cli("run", "swap.a2a", "--sanitizer", "thread")
    assert (done.code, done.out) == (2, "")
    assert "--sanitizer is for Ascend C, and puts is emitted as triton_dist" in " ".join(done.err.split())


def test_no_compiler(cli, spec, monkeypatch):
    monkeypatch.setenv("PATH", str(spec))
    monkeypatch.delenv("CXX", raising=False)
    toolchain._compiler.cache_clear()
    try:
        for command in (("run",), ("simulate", "--interleavings", "1")):
            done = cli(*command, "swap.a2a")
            assert done.code != 0
            assert "run: apt-get install g++" in done.out + done.err
    finally:
        toolchain._compiler.cache_clear()
