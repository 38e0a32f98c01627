"""Commands on a spec whose kernel is Ascend C, from its text to what is printed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from a2agen.engines.ascendc import toolchain
from a2agen.engines.ascendc.helpers import with_callers
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
    quiet = next(line for line in kernel.splitlines() if "quiet(" in line)
    spin = "for (volatile int spin = 0; spin == 0;) {}"  # no operation, so the engine can't count any
    (spec / "endless.cpp").write_text(kernel.replace(quiet, spin), encoding="utf-8")
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
        for command in (
            ("run",),
            ("run", "--format", "json"),
            ("run", "--sanitizer", "thread"),
            ("simulate", "--interleavings", "1"),
            ("simulate", "--format", "json"),
        ):
            done = cli(*command, "swap.a2a")
            assert (done.code, done.out) == (2, "")
            assert done.err == (
                "Error: Ascend C kernels are run by a C++ compiler, and there is no g++ or c++; "
                "run: apt-get install g++, or name one by CXX\n"
            )
    finally:
        toolchain._compiler.cache_clear()


def _tool(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ({"g++": "exit 1"}, "g++ --version fails; run: apt-get install g++, or name another by CXX"),
        ({"g++": "true"}, "by ar, which is not there; run: apt-get install binutils"),
        ({"g++": "true", "ar": "exit 3"}, "/ar does not work: it ends with 3"),
        ({"g++": 'test "$1" = --version || exit 1'}, "g++ does not take the engine's own code ("),
    ],
)
def test_tools_that_do_not_work(cli, spec, monkeypatch, tools, said):
    for name, text in tools.items():
        _tool(spec, name, text)
    monkeypatch.setenv("PATH", str(spec))
    monkeypatch.setenv("A2AGEN_CACHE", str(spec / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    toolchain._compiler.cache_clear()
    try:
        for command in (("run",), ("simulate", "--interleavings", "1")):
            done = cli(*command, "swap.a2a")
            assert (done.code, done.out) == (2, ""), done
            assert done.err.startswith("Error: ")
            assert said in done.err
    finally:
        toolchain._compiler.cache_clear()
    assert not list((spec / "cache").rglob("libruntime.a"))


@pytest.mark.usefixtures("_compiler")
def test_a_kernel_of_another_name(cli, spec):
    assert cli("compile", "swap.a2a").code == 0
    kernel = (spec / "generated/swap/puts/kernel.cpp").read_text(encoding="utf-8")
    (spec / "other.cpp").write_text(kernel.replace("void swap_puts(", "void other("), encoding="utf-8")
    line = next(n for n, text in enumerate(kernel.splitlines(), 1) if "void swap_puts(" in text)
    done = cli("simulate", "--kernel", "other.cpp", "--spec", "swap.a2a", "--schedule", "puts")
    assert (done.code, done.out) == (2, "")
    said = "the kernel is called other, and the host program launches swap_puts: call it swap_puts"
    assert done.err == f"Error: other.cpp:{line}: {said}\n"


def test_an_error_of_a_file_names_it_once(cli, spec):
    (spec / "empty.cpp").write_text("", encoding="utf-8")
    done = cli("simulate", "--kernel", "empty.cpp", "--spec", "swap.a2a", "--schedule", "puts")
    said = 'expected one `extern "C" __global__ __aicore__ void` function, found 0'
    assert (done.code, done.err) == (2, f"Error: empty.cpp: {said}\n")


@pytest.mark.usefixtures("_compiler")
def test_puts_without_end(cli, spec):
    assert cli("compile", "swap.a2a").code == 0
    kernel = (spec / "generated/swap/puts/kernel.cpp").read_text(encoding="utf-8")
    quiet = next(n for n, line in enumerate(kernel.splitlines()) if "udma_quiet(" in line)
    lines = kernel.splitlines()
    first = max(n for n in range(quiet) if "udma_put_nbi(" in lines[n])
    lines[first] = "while (true) { " + lines[first].strip()
    lines[quiet] += " }"
    (spec / "endless.cpp").write_text("\n".join(lines), encoding="utf-8")
    words = ("--spec", "swap.a2a", "--schedule", "puts", "--interleavings", "1", "--format", "json")
    begun = time.monotonic()
    done = cli("simulate", "--kernel", "endless.cpp", *words)
    assert done.code == 1
    kinds = {f["kind"]: f for f in json.loads(done.out)["findings"]}
    assert "far more than launches of this shape take: a loop does not end" in kinds["endless"]["text"]
    assert kinds["endless"]["line"] in (first + 1, quiet + 1)
    assert time.monotonic() - begun < 200


QUEUES = """
schedule queues for swap {
  target ascend950
  emit   ascendc
  cores  8
  buffer P : [from S D] symmetric
  role sender : even, one per peer
  role reader : odd
  phase exchange on sender {
    move  A -> P for others
    link  udma(qps 2)
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


@pytest.mark.usefixtures("_compiler")
def test_a_wait_of_a_helper_is_told_by_its_caller(cli, spec):
    (spec / "queues.a2a").write_text(SPEC[: SPEC.index("schedule")] + QUEUES, encoding="utf-8")
    assert cli("compile", "queues.a2a").code == 0
    kernel = (spec / "generated/swap/queues/kernel.cpp").read_text(encoding="utf-8")
    lines = kernel.splitlines()
    (caller,) = (n for n, line in enumerate(lines, 1) if re.match(r"\s+WaitAll\(", line))
    notify = next(line for line in lines if "aclshmem_uint64_p(" in line)
    (spec / "silent.cpp").write_text(kernel.replace(notify, ""), encoding="utf-8")
    words = ("--spec", "queues.a2a", "--schedule", "queues", "--interleavings", "1", "--format", "json")
    done = cli("simulate", "--kernel", "silent.cpp", *words)
    (deadlock,) = (f for f in json.loads(done.out)["findings"] if f["kind"] == "deadlock")
    assert (done.code, deadlock["line"]) == (1, caller)
    assert f"(line {caller}) waits for exchange_ready[" in deadlock["text"]


def test_lines_stay_where_they_are():
    kernel = "\n".join(
        ["__aicore__ inline void Help(int a) {", "    a;", "}", "", "void other() {", "    Help(1);", "}"]
    )
    text = with_callers(kernel).split("\n")
    assert [line for line in text if not line.startswith("#")] == kernel.split("\n")
    assert text[3:5] == ["#define Help(...) (a2agen::Called{__LINE__}, Help(__VA_ARGS__))", "#line 4"]
    assert with_callers("class Kernel {\n};\n") == "class Kernel {\n};\n"
