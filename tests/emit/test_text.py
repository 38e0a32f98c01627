"""Emitted files as texts: Python that a reviewer of the user's repository would take."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path

import pytest
from ruff import find_ruff_bin

from a2agen.emit.formatting import LINE_LENGTH, format_python
from a2agen.passes import analysis
from tests.emit.conftest import Emitted, emit
from tests.passes.lower import matrix

STAGED = matrix.staged("ascend910c", "notify per tile", "none", "reset", "[from S H D] symmetric")


def write(folder: Path, emitted: dict[str, Emitted]) -> list[str]:
    """Writes modules to a folder each; the names of the schedules, by the number of the folder."""
    for n, one in enumerate(emitted.values()):
        (folder / str(n)).mkdir()
        for name, text in one.files.items():
            (folder / str(n) / name).write_text(text, encoding="utf-8")
    return list(emitted)


def ruff(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [find_ruff_bin(), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_combination_parses_and_has_no_unused_or_unknown_name(every, tmp_path):
    for one in every.values():
        ast.parse(one.files["launcher.py"])
        whole = f"swap_{one.schedule.name}"
        split = [f"{whole}_exit"] if one.schedule.rounds == "reset" else [f"{whole}_entry", f"{whole}_exit"]
        assert [k.name for k in one.kernels] == (split if analysis.of_host(one.schedule) else [whole])
    write(tmp_path, every)
    done = ruff("check", "--isolated", "--select", "F,E9,B018,PLW0127", "--output-format", "concise", tmp_path)
    assert done.returncode == 0, done.stdout


def test_an_unused_import_would_be_found(every, tmp_path):
    one = next(iter(every.values()))
    (tmp_path / "kernel.py").write_text("import os\n" + one.files["kernel.py"], encoding="utf-8")
    assert "F401" in ruff("check", "--isolated", "--select", "F", tmp_path).stdout


def test_arguments_of_a_kernel_are_all_used(every):
    for name, one in every.items():
        for kernel in one.kernels:
            used = {n.id for n in ast.walk(kernel) if isinstance(n, ast.Name)}
            unused = [a.arg for a in kernel.args.args if a.arg not in used]
            # Extents are the same for all kernels of an exchange that move data.
            assert [a for a in unused if a not in "WSHD"] == [], name


def test_assigned_names_are_read(every):
    """Each name that a kernel binds is read somewhere, so that no line is there for nothing."""
    for name, one in every.items():
        for kernel in one.kernels:
            bound = {n.id for n in ast.walk(kernel) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            read = {n.id for n in ast.walk(kernel) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            assert bound - read - {"cores", "epochs", "lanes", "blk"} == set(), name


def test_shipped_files_are_formatted_and_narrow(shipped, tmp_path):
    write(tmp_path, shipped)
    done = ruff("format", "--isolated", "--line-length", LINE_LENGTH, "--check", tmp_path)
    assert done.returncode == 0, done.stdout
    for one in shipped.values():
        for name, text in one.files.items():
            if name.endswith(".py"):
                code = [line for line in text.splitlines() if "#" not in line and '"""' not in line]
                assert max(map(len, code)) <= LINE_LENGTH
                assert text == text.rstrip() + "\n"


def test_what_is_no_python_does_not_pass_the_formatter():
    assert format_python("x=1\n", "a.py") == "x = 1\n"
    with pytest.raises(ValueError, match=r"a\.py does not format"):
        format_python("x = = 1\n", "a.py")


def test_line_ends_of_a_spec_make_no_difference(shipped):
    windows = emit(STAGED.replace("\n", "\r\n"))
    assert windows.files == emit(STAGED).files


def test_a_header_tells_where_a_file_comes_from():
    one = emit(STAGED, path="specs/swap.a2a")
    digest = json.loads(one.files["manifest.json"])["spec"]["digest"]
    for name in ("kernel.py", "launcher.py"):
        head = one.files[name].splitlines()[:4]
        assert head[1] == f"#   spec     specs/swap.a2a, sha256 {digest[:16]}"
        assert head[2] == f"#   profile  ascend910c, sha256 {one.schedule.target.digest[:16]}"
        assert head[3] == "#   command  a2agen compile specs/swap.a2a"
    other = emit(STAGED.replace("1..40", "1..41"))
    assert json.loads(other.files["manifest.json"])["spec"]["digest"] != digest


@pytest.mark.parametrize(
    ("dtype", "torch"),
    [
        ("f32", "float32"),
        ("f16", "float16"),
        ("bf16", "bfloat16"),
        ("i8", "int8"),
        ("i16", "int16"),
        ("i32", "int32"),
        ("i64", "int64"),
        ("f8e4m3", "float8_e4m3fn"),
        ("f8e5m2", "float8_e5m2"),
    ],
)
def test_types_by_torchs_names(dtype, torch):
    text = matrix.staged("h200", "notify per tile", "none", "reset", "[S (from H) D] symmetric").replace("bf16", dtype)
    launcher = emit(text).files["launcher.py"]
    assert f"workspace.symmetric((S, W, H, D), torch.{torch})" in launcher
    assert f'runtime.check_tensor("A", A, (W * S, H, D), torch.{torch}, ranks.device)' in launcher


def test_strides_of_a_strided_input_are_arguments():
    one = emit(STAGED.replace("in A : bf16 [(to S) H D]", "in A : bf16 [(to S) H D] strided"))
    assert [a.arg for a in one.kernel.args.args][-6:-3] == ["stride_A_0", "stride_A_1", "stride_A_2"]
    kernel, launcher = one.files["kernel.py"], one.files["launcher.py"]
    for n in range(3):
        assert f"            A.stride({n}),\n" in launcher
        assert f"stride_A_{n}" in kernel.split("):\n", 1)[1]
    assert "ranks.device, strided=True)" in launcher
    assert "stride" not in emit(STAGED).files["launcher.py"]


def test_a_mask_of_a_blocked_axis_that_tiles_take_one_by_one():
    text = matrix.straight("ascend910c", "notify per block", "none", "reset", block=True)
    assert "mask = (s0 < S) & (d0 + offs_d < D)\n" in emit(text).files["kernel.py"]
    assert "mask = s0 < S\n" in emit(text.replace("tile D 4", "tile D 1")).files["kernel.py"]
    assert "s0 < S" not in emit(text.replace("block S by 2", "block S by 1")).files["kernel.py"]


def test_no_empty_line_before_else(every, shipped):
    for name, one in {**every, **shipped}.items():
        assert re.search(r"\n\n *else:", one.files["kernel.py"]) is None, name
    assert re.search(r"\n *else:", shipped["all2all/udma_packed"].files["kernel.py"])


def test_the_cores_of_a_role_are_counted_once(every, shipped):
    """Words and their values take the number by name; each class and role binds its own once."""
    for name, one in {**every, **shipped}.items():
        used = [line for line in one.files["kernel.py"].splitlines() if "lanes = " not in line]
        assert not [line for line in used if re.search(r"cores // 2|cdiv\(cores, 2\)", line)], name
    packed = shipped["all2all/udma_packed"].files["kernel.py"]
    assert "    packer_lanes = tl.cdiv(cores, 2) - (W - 1)\n" in packed
    assert "(blk * W + to) * packer_lanes + packer_lane) * 8" in packed


def test_an_overlay_is_told_where_its_memory_is_an_argument(shipped):
    kernel = shipped["reverse_all2all/udma_notify_staged"].files["kernel.py"]
    assert "    P,  # symmetric, bf16 [from S H D]; L lies in the slab of the own rank\n" in kernel
