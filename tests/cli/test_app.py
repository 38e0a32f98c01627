"""Failures of the command as a whole, and what its start costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from a2agen import __version__
from a2agen.cli.app import COMMANDS, app

COMMAND = [sys.executable, "-m", "a2agen.cli"]
HEAVY = {"asyncio", "greenlet", "importlib.metadata", "jinja2", "lark", "ml_dtypes", "numpy", "torch"}

SPEC = """\
exchange swap {
  ranks W in 2..8
  dim   S in 1..64
  in  A : f32 [(to S)]
  out C : f32 [S from]
}

schedule direct for swap {
  target h200
  emit   triton_dist
  place  C symmetric
  role   mover : all
  phase send on mover {
    move  A -> C
    link  ldst
    tile  S 16
    ready notify per peer
    free  credit per peer
  }
  rounds epoch
}
"""


def test_version(cli):
    assert cli("--version").out == f"a2agen {__version__}\n"


def test_help_names_every_command_in_full(cli):
    done = cli("--help")
    assert done.code == 0
    assert all(f"\n  {name} " in done.out for name in COMMANDS)
    assert "..." not in done.out.replace("COMMAND [ARGS]...", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(cli, name):
    done = cli(name, "--help")
    assert done.code == 0
    assert app.get_command(None, name).name == name


def test_an_unknown_command_is_wrong_use(cli):
    done = cli("compil")
    assert (done.code, done.out) == (2, "")
    assert "No such command 'compil'. Did you mean 'compile'?" in done.err
    assert cli("fly").err.endswith("Error: No such command 'fly'.\n")


class TestInternalErrors:
    @pytest.fixture
    def _broken(self, stand_in) -> None:
        def check(source):
            raise RuntimeError(f"lost in\n{source.path}")

        stand_in("a2agen.passes.check", check=check)

    @pytest.mark.usefixtures("_broken")
    def test_are_one_line_that_says_what_to_do(self, cli, specs):
        specs(a="")
        done = cli("lint", "a.a2a", "--format", "json")
        assert (done.code, done.out) == (2, "")
        assert done.err.count("\n") == 1
        assert "internal error: RuntimeError: lost in a.a2a" in done.err
        assert "A2AGEN_DEBUG=1" in done.err

    @pytest.mark.usefixtures("_broken")
    def test_show_their_place_on_request(self, cli, specs, monkeypatch):
        specs(a="")
        monkeypatch.setenv("A2AGEN_DEBUG", "1")
        with pytest.raises(RuntimeError):
            cli("lint", "a.a2a")


@pytest.mark.parametrize("module", ["click", "a2agen.cli.targets"])
def test_an_interruption_while_modules_are_loaded_shows_no_traceback(module):
    code = f"""
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
sys.argv = ["a2agen", "targets"]
from a2agen.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "interrupted")


def test_a_closed_pipe_is_no_error_message():
    done = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" targets | true', "-", *COMMAND],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_characters_that_the_terminal_lacks_are_no_error(tmp_path):
    done = subprocess.run(
        [*COMMAND, "lint", str(tmp_path / "ü")],
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "there is no file" in done.stderr
    assert "internal" not in done.stderr


def imported(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_help_loads_nothing_heavy():
    modules = imported("from a2agen.cli.app import run; run(['--help'])")
    assert "click" in modules
    assert not HEAVY & modules
    assert not [
        m for m in modules if m.startswith("a2agen.") and m.split(".")[1] not in ("cli", "render", "findings", "source")
    ]


def test_lint_loads_nothing_heavy(tmp_path):
    (tmp_path / "a.a2a").write_text(SPEC)
    modules = imported(f"from a2agen.cli.app import run; assert run(['lint', {str(tmp_path / 'a.a2a')!r}]) == 0")
    assert "a2agen.passes.check" in modules
    assert not HEAVY & modules


def test_the_list_of_loaded_modules_shows_heavy_ones():
    assert "importlib.metadata" in imported("import importlib.metadata")
