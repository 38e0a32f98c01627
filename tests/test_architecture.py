"""The shape of the code base: who may import whom, how large a module gets, what a wheel holds."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from importlib import resources
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULE_LINES = 400


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Checks the import contracts of the copy of a2agen in a folder."""
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
        ],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "a2agen", tmp_path / "a2agen", ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_imports_go_one_way(copy):
    done = lint_imports(copy)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "statement", "broken"),
    [
        ("source.py", "import a2agen.findings", "Imports go one way"),
        ("targets/profile.py", "import a2agen.cli.app", "Imports go one way"),
        ("runtime/arguments.py", "import a2agen.findings", "What a generated launcher imports"),
        ("findings.py", "import numpy", "The path of lint"),
        ("newcomer.py", "", "newcomer"),
    ],
)
def test_a_wrong_import_is_reported(copy, module, statement, broken):
    with (copy / "a2agen" / module).open("a") as file:
        file.write(f"\n{statement}\n")
    done = lint_imports(copy)
    assert done.returncode == 1
    assert f"{broken}" in done.stdout


def long_modules(package: Path) -> list[str]:
    return [p.name for p in sorted(package.rglob("*.py")) if len(p.read_text().splitlines()) > MODULE_LINES]


def test_modules_are_short():
    assert long_modules(ROOT / "a2agen") == []


def test_a_long_module_is_found(tmp_path):
    (tmp_path / "short.py").write_text("\n" * MODULE_LINES)
    (tmp_path / "long.py").write_text("\n" * (MODULE_LINES + 1))
    assert long_modules(tmp_path) == ["long.py"]


def data_files() -> list[str]:
    """Every file of the package that is no Python module."""
    files = (p for p in (ROOT / "a2agen").rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return sorted(p.relative_to(ROOT).as_posix() for p in files if p.suffix != ".py")


def test_data_is_found_where_the_package_is_installed():
    package = resources.files("a2agen")
    assert {Path(name).suffix for name in data_files()} >= {".toml", ".typed"}
    for name in data_files():
        assert package.joinpath(*Path(name).parts[1:]).is_file()


@pytest.mark.slow
def test_a_wheel_holds_every_module_and_data_file(tmp_path):
    command = [sys.executable, "-m", "pip", "wheel", "-qq", "--disable-pip-version-check", "--no-deps", "--wheel-dir"]
    subprocess.run([*command, str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("a2agen-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    modules = (p.relative_to(ROOT).as_posix() for p in (ROOT / "a2agen").rglob("*.py"))
    missing = [name for name in [*data_files(), *modules] if name not in held]
    assert missing == []
    assert not [name for name in held if name.startswith(("tests/", "specs/", "generated/"))]
