from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from a2agen.cli.tree import Tree, WriteError

pytestmark = pytest.mark.usefixtures("compiles")


def files(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_writes_the_files_of_every_schedule(cli, specs):
    folder = specs(a="schedule one\nschedule two\n")
    done = cli("compile", "a.a2a", "-o", "out")
    assert (done.code, done.err) == (0, "")
    assert sorted(files(folder / "out")) == [
        "swap/one/kernel.py",
        "swap/one/manifest.json",
        "swap/two/kernel.py",
        "swap/two/manifest.json",
    ]
    assert done.out.splitlines()[0] == "wrote out/swap/one/kernel.py"
    assert done.out.splitlines()[-1] == "2 schedules: 4 files written, 0 unchanged"
    assert cli("compile", "a.a2a", "-o", "out", "--check").code == 0


def test_writes_to_generated_unless_told_otherwise(cli, specs):
    folder = specs(a="schedule one\n")
    assert cli("compile", "a.a2a").code == 0
    assert len(files(folder / "generated")) == 2


def test_unchanged_files_are_left_alone(cli, specs):
    folder = specs(a="schedule one\n", b="schedule two\n")
    cli("compile", "a.a2a", "b.a2a")
    kernels = [folder / f"generated/swap/{name}/kernel.py" for name in ("one", "two")]
    for kernel in kernels:
        os.utime(kernel, (1, 1))
    specs(b="schedule two\n# new\n")
    done = cli("compile", "a.a2a", "b.a2a")
    assert done.out.splitlines()[-1] == "2 schedules: 2 files written, 2 unchanged"
    assert kernels[0].stat().st_mtime == 1
    assert kernels[1].stat().st_mtime != 1


@pytest.mark.parametrize("fault", ["# error", "# unemitted"])
def test_one_faulty_spec_keeps_all_from_being_written(cli, specs, fault):
    folder = specs(a="schedule one\n", b=f"schedule two\n{fault}\n")
    done = cli("compile", "a.a2a", "b.a2a")
    assert done.code == 1
    assert "error[" in done.out
    assert done.out.endswith("1 error in 2 specs; nothing was written\n")
    assert not (folder / "generated").exists()


def test_a_warning_does_not_keep_files_from_being_written(cli, specs):
    folder = specs(a="schedule one\n# warning\n")
    assert cli("compile", "a.a2a").code == 1
    assert len(files(folder / "generated")) == 2


def test_two_specs_for_one_folder_are_refused(cli, specs):
    folder = specs(a="schedule one\n", b="schedule one\n# other\n")
    done = cli("compile", "a.a2a", "b.a2a")
    assert (done.code, done.out) == (2, "")
    assert "a.a2a and b.a2a both make the folder swap/one" in done.err
    assert not (folder / "generated").exists()


class TestCheck:
    @pytest.fixture
    def fresh(self, cli, specs) -> Path:
        folder = specs(a="schedule one\n")
        assert cli("compile", "a.a2a").code == 0
        return folder / "generated/swap/one"

    def check(self, cli, *lines: str) -> None:
        done = cli("compile", "a.a2a", "--check")
        assert done.code == 1
        assert done.out.splitlines() == [*lines, "1 schedule: 1 file is not what the specs make"]

    def test_a_stale_file(self, cli, fresh):
        (fresh / "kernel.py").write_text("edited\n")
        self.check(
            cli, "generated/swap/one/kernel.py: stale, not what a.a2a makes; run: a2agen compile a.a2a -o generated"
        )
        assert (fresh / "kernel.py").read_text() == "edited\n"

    def test_a_missing_file(self, cli, fresh):
        (fresh / "kernel.py").unlink()
        self.check(cli, "generated/swap/one/kernel.py: missing; run: a2agen compile a.a2a -o generated")
        assert not (fresh / "kernel.py").exists()

    def test_an_extra_file(self, cli, fresh):
        (fresh / "kernel.cpp").write_text("")
        self.check(
            cli, "generated/swap/one/kernel.cpp: extra, no given spec makes it; run: rm generated/swap/one/kernel.cpp"
        )

    def test_a_folder_of_no_spec(self, cli, fresh):
        (fresh.parent / "old name").mkdir()
        (fresh.parent / "old name/kernel.py").write_text("")
        self.check(cli, "generated/swap/old name: extra, no given spec makes it; run: rm -r 'generated/swap/old name'")

    def test_nothing_is_there(self, cli, specs):
        specs(a="schedule one\n")
        done = cli("compile", "a.a2a", "--check", "-o", "none")
        assert done.code == 1
        assert done.out.count("missing") == 2
        assert not Path("none").exists()

    def test_caches_hidden_files_and_line_ends_do_not_count(self, cli, fresh):
        (fresh / "__pycache__").mkdir()
        (fresh / "__pycache__/kernel.pyc").write_text("")
        (fresh.parent / "deeper/__pycache__").mkdir(parents=True)
        (fresh.parent / "deeper/__pycache__/kernel.pyc").write_text("")
        (fresh / ".swp").write_text("")
        (fresh / "kernel.py").write_bytes((fresh / "kernel.py").read_bytes().replace(b"\n", b"\r\n"))
        done = cli("compile", "a.a2a", "--check")
        assert (done.code, done.out) == (0, "1 schedule: 2 files up to date\n")


class TestTree:
    def test_nothing_is_replaced_when_one_file_can_not_be_written(self, tmp_path):
        (tmp_path / "b/s").mkdir(parents=True)
        (tmp_path / "b/s/z.py").mkdir()
        tree = Tree(tmp_path, {"a/s": "x", "b/s": "x"}, {"a/s/k.py": "new", "b/s/z.py": "new"})
        with pytest.raises(WriteError, match=r"z\.py: it is a folder"):
            tree.write()
        assert files(tmp_path) == {}

    def test_an_output_that_is_a_file_is_wrong_use(self, cli, specs):
        folder = specs(a="schedule one\n")
        (folder / "out").write_text("mine")
        done = cli("compile", "a.a2a", "-o", "out")
        assert done.code == 2
        assert "can't write" in done.err
        assert (folder / "out").read_text() == "mine"

    def test_files_get_the_usual_permissions(self, tmp_path):
        script = (
            "import os, pathlib, sys; from a2agen.cli.tree import Tree; os.umask(0o027);"
            "Tree(pathlib.Path(sys.argv[1]), {'a/s': 'x'}, {'a/s/k.py': 'text'}).write()"
        )
        subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
        assert (tmp_path / "a/s/k.py").stat().st_mode & 0o777 == 0o640
