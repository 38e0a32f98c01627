"""The script that sets up .venv: when it works, when it need not, and what it says when it can't."""

from __future__ import annotations

import sys
from collections import namedtuple
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "setup_venv.py"
Version = namedtuple("Version", "major minor micro")


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script in a folder with a project, with its commands recorded in `calls` and not run."""
    spec = spec_from_file_location("setup_venv", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text("[project]\n")
    calls: list[list[str]] = []

    def call(command: list[str], failure: str) -> None:
        calls.append(command)
        Path(".venv/bin").mkdir(parents=True, exist_ok=True)
        Path(".venv/bin/python").touch()

    monkeypatch.setattr(module, "call", call)
    monkeypatch.setattr(module, "calls", calls, raising=False)
    return module


def kinds(script: ModuleType) -> list[str]:
    """What was done since the last time this was asked: `venv`, or what pip installed."""
    done = ["venv" if "venv" in command else command[-1] for command in script.calls if "compileall" not in command]
    script.calls.clear()
    return done


def test_sets_up_once(script):
    script.main([])
    assert kinds(script) == ["venv", "."]
    script.main([])
    assert kinds(script) == []


def test_adds_extras_and_keeps_them(script):
    script.main([])
    kinds(script)
    script.main(["torch", "dev"])
    assert kinds(script) == [".[dev,torch]"]
    script.main(["dev"])
    script.main([])
    assert kinds(script) == []


def test_installs_anew_when_the_project_changes(script):
    script.main(["dev"])
    kinds(script)
    Path("pyproject.toml").write_text("[project]\nname = 'other'\n")
    script.main([])
    assert kinds(script) == [".[dev]"]


def test_starts_anew_with_another_interpreter(script, monkeypatch):
    script.main([])
    kinds(script)
    monkeypatch.setattr(sys, "version", "4.0")
    script.main([])
    assert kinds(script) == ["venv", "."]


def test_starts_anew_when_the_last_attempt_broke_off(script, monkeypatch):
    def fails(command: list[str], failure: str) -> None:
        raise SystemExit(failure)

    script.main([])
    kinds(script)
    Path("pyproject.toml").write_text("[project]\nname = 'other'\n")
    with monkeypatch.context() as patch:
        patch.setattr(script, "call", fails)
        with pytest.raises(SystemExit, match="pip could not install"):
            script.main([])
    script.main([])
    assert kinds(script) == ["venv", "."]


def test_an_old_python_is_named(script, monkeypatch):
    monkeypatch.setattr(sys, "version_info", Version(3, 9, 2))
    with pytest.raises(SystemExit, match=r"is Python 3\.9, and a2agen needs 3\.10 or newer\n.*make PYTHON="):
        script.main([])


def test_the_package_of_a_missing_venv_module_is_named(script, monkeypatch):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    monkeypatch.setattr(sys, "version_info", Version(3, 11, 2))
    with pytest.raises(SystemExit, match=r"apt-get install python3\.11-venv"):
        script.main([])
