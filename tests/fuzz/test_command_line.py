"""Commands on files that nobody would call a spec, and on files with names that nobody would give one."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from a2agen.cli.app import run
from tests.fuzz.texts import kind_of, text_of

SPOILT = [seed for seed in range(30) if kind_of(seed) != "sound"]
COMMANDS = (
    ("lint",),
    ("lint", "--advice", "--format", "concise"),
    ("lint", "--format", "json"),
    ("compile", "-o", "out"),
    ("run", "--interleavings", "1", "--launches", "1", "--format", "json"),
    ("simulate", "--interleavings", "1", "--launches", "1", "--format", "json"),
    ("plan",),
)
SPEC = Path(__file__).parent / "found" / "tile_of_one_in_a_tail_block.a2a"
NAMES = (
    "two words.a2a",
    "größe.a2a",
    "it's.a2a",
    '"".a2a',
    "new\nimport os.a2a",
    "*\\.a2a",
    "\udcff.a2a",
    "-o",
    "$(ls)",
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_spoilt_specs(
    command: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Exit 0 or 1, nothing on standard error, JSON where it was asked for."""
    monkeypatch.chdir(tmp_path)
    codes = set()
    for seed in SPOILT:
        Path("spec.a2a").write_bytes(text_of(seed))
        codes.add(run([*command, "spec.a2a"]))
        printed = capsys.readouterr()
        assert printed.err == "", seed
        if "json" in command:
            assert json.loads(printed.out)["version"] == 1, seed
    assert codes == {0, 1}


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_files(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its name, a spec compiles, and what is generated says in one line how to make it again."""
    monkeypatch.chdir(tmp_path)
    try:
        Path(name).write_bytes(SPEC.read_bytes())
    except OSError:
        pytest.skip("the file system has no such names")
    assert run(["lint", "--format", "json", "--", name]) == 0
    json.loads(capsys.readouterr().out)
    assert run(["compile", "-o", "out", "--", name]) == 0
    assert run(["compile", "--check", "-o", "out", "--", name]) == 0
    kernel = Path("out/e/rows/kernel.py").read_text(encoding="utf-8")
    compile(kernel, "kernel.py", "exec")
    told = next(line for line in kernel.splitlines() if line.startswith("#   command"))
    words = shlex.split(told.removeprefix("#   command"))
    assert words[:4] == ["a2agen", "compile", "-o", "out"]
    if name.isprintable():
        assert run([*words[1:3], "again", *words[4:]]) == 0
        assert words[-1] == name
    json.loads(Path("out/e/rows/manifest.json").read_text(encoding="utf-8"))


def test_a_link_is_the_file_it_leads_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.a2a").write_bytes(SPEC.read_bytes())
    os.symlink("spec.a2a", "link.a2a")
    assert run(["compile", "-o", "out", "spec.a2a", "link.a2a"]) == 0
    Path("copy.a2a").write_bytes(SPEC.read_bytes())
    assert run(["compile", "-o", "other", "spec.a2a", "copy.a2a"]) == 2
    assert not Path("other").exists()


def test_a_folder_that_cannot_be_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.a2a").write_bytes(SPEC.read_bytes())
    before = sorted(os.listdir())
    assert run(["compile", "-o", "spec.a2a", "spec.a2a"]) == 2
    assert run(["compile", "-o", "spec.a2a/below", "spec.a2a"]) == 2
    assert sorted(os.listdir()) == before
    assert Path("spec.a2a").read_bytes() == SPEC.read_bytes()
