"""Emitted Ascend C as text: formatted, narrow, and with the calls that its plan stands for."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from a2agen.emit.ascendc.dialect import COLUMNS, formatted
from tests.emit.conftest import Emitted, emit, shipped_by
from tests.passes.lower import matrix

ROOT = Path(__file__).parents[2]
PUT = matrix.put("notify per block", "none", "epoch", ", one per peer", "").replace("triton_dist", "ascendc")
LOAD_STORE = [
    matrix.staged("ascend950", *row).replace("triton_dist", "ascendc")
    for row in (
        ("notify per tile", "credit per tile", "reset", "[S (from H) D] symmetric per block slots 2"),
        ("notify per tile", "credit per tile", "epoch", "[from S H D] symmetric per block slots 3"),
        ("notify per block", "none", "epoch", "[from S H D] symmetric"),
        ("notify per peer", "credit per peer", "epoch", "[from S H D] symmetric"),
        ("barrier", "barrier", "reset", "[S (from H) D] symmetric per block slots 2"),
    )
]


@pytest.fixture(scope="module")
def kernels() -> dict[str, Emitted]:
    """The shipped kernels in Ascend C, and some that stress how they are laid out."""
    return {**shipped_by("ascendc"), **{f"matrix {n}": emit(text) for n, text in enumerate([PUT, *LOAD_STORE])}}


def clang_format(*paths: Path) -> subprocess.CompletedProcess[str]:
    tool = shutil.which("clang-format", path=str(Path(sys.executable).parent))
    assert tool is not None, "the dev dependencies have clang-format"
    command = [tool, f"--style=file:{ROOT / '.clang-format'}", "--dry-run", "-Werror", *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_is_emitted_is_formatted(kernels, tmp_path):
    for n, one in enumerate(kernels.values()):
        for name in ("kernel.cpp", "host.cpp"):
            (tmp_path / f"{n}_{name}").write_text(one.files[name], encoding="utf-8")
    done = clang_format(*tmp_path.iterdir())
    assert done.returncode == 0, done.stderr


def test_the_formatter_would_say_so(kernels, tmp_path):
    (tmp_path / "a.cpp").write_text(next(iter(kernels.values())).files["kernel.cpp"].replace(" = ", "=", 1))
    assert "code should be clang-formatted" in clang_format(tmp_path / "a.cpp").stderr


def test_files_are_narrow_and_end_once(kernels):
    for one in kernels.values():
        assert sorted(one.files) == ["CMakeLists.txt", "host.cpp", "kernel.cpp", "manifest.json"]
        for name in ("kernel.cpp", "host.cpp"):
            text = one.files[name]
            assert text == text.rstrip() + "\n"
            assert max(map(len, (line for line in text.splitlines() if "//" not in line))) <= COLUMNS


def test_calls_are_broken_at_their_arguments_and_strings_are_left_alone():
    long = f"    F(a, G(b, c), {'x' * 100}, 1);"
    assert formatted(long).split("\n") == [
        "    F(",
        "        a,",
        "        G(b, c),",
        f"        {'x' * 100},",
        "        1);",
    ]
    assert formatted("    F(a, b);") == "    F(a, b);"
    string = f'    F("(a, {"b" * 110}", c);'
    assert formatted(string).split("\n") == ["    F(", f'        "(a, {"b" * 110}",', "        c);"]
    assert formatted(f"    {'x' * 120};") == f"    {'x' * 120};"
    assert formatted("{\n\n\n\na;\n\n}\n") == "{\n\na;\n}\n"


def test_sums_and_loops_are_broken_as_clang_format_does(tmp_path):
    x, y = "x" * 33, "y" * 70
    assert formatted(f"    T* at = {x} + f({y});") == f"    T* at =\n        {x} + f({y});"
    assert formatted(f"    T* at = {x} + {y} + {x} * c;") == f"    T* at = {x} + {y} +\n            {x} * c;"
    sums = [
        f"    T* at = {x} + f({y});",
        f"    T* at = {x} + {y} + {x} * c;",
        f"    T* at = {x * 2} + {y} + {y} + {x};",
    ]
    loops = [
        f"    for (uint64_t {x} = 0; {x} < {x}; ++{x}) {{\n        F();\n    }}",
        f"    for (int64_t {x} = lane; {x} < {y}; {x} += lanes) {{\n        F();\n    }}",
    ]
    text = formatted("\n".join(["void F() {", *sums, *loops, "}", ""]))
    (tmp_path / "a.cpp").write_text(text, encoding="utf-8")
    done = clang_format(tmp_path / "a.cpp")
    assert done.returncode == 0, done.stderr


def test_on_chip_memory_is_as_predicted(kernels):
    for one in kernels.values():
        text = one.files["kernel.cpp"]
        buffer, blocks = (re.search(rf"{name} = (\d+)", text) for name in ("BUFFER_BYTES", "FLAG_BYTES"))
        flags = (int(blocks[1]) if blocks else 0) * 32 * text.count("FLAG_BYTES);\n        Fill(")
        staging = re.search(r"InitBuffer\(requests, (\d+)\)", text)
        needed = 2 * int(buffer[1]) + flags + (int(staging[1]) if staging else 0)
        assert json.loads(one.files["manifest.json"])["ub_bytes"] == needed


def test_only_kernels_with_a_barrier_are_of_the_type_that_has_one(kernels):
    types = {
        name: re.search(r"KERNEL_TASK_TYPE_DEFAULT\((\w+)\)", one.files["kernel.cpp"])[1]
        for name, one in kernels.items()
    }
    assert types["reverse_all2all/udma_bulk"] == "KERNEL_TYPE_MIX_AIV_1_0"
    assert types["reverse_all2all/udma_put"] == "KERNEL_TYPE_AIV_ONLY"
    for name, one in kernels.items():
        assert ("aclshmemx_barrier_all_vec" in one.files["kernel.cpp"]) == (types[name] == "KERNEL_TYPE_MIX_AIV_1_0")


def test_a_relay_is_built_with_relays(kernels):
    defined = {name for name, one in kernels.items() if "ACLSHMEM_RELAY_SUPPORT" in one.files["CMakeLists.txt"]}
    assert defined == {"reverse_all2all/udma_relay", "all2all/udma_relay"}


def test_queues_are_counted_before_the_library_starts(kernels):
    host = kernels["reverse_all2all/udma_queues"].files["host.cpp"]
    assert host.index("aclshmemx_set_qp_num(ACLSHMEM_DATA_OP_UDMA, 2)") < host.index("aclshmemx_init_attr(ACLSHMEMX")
    assert "aclshmemx_set_qp_num" not in kernels["reverse_all2all/udma_put"].files["host.cpp"]


def test_the_host_counts_launches(kernels):
    manifest = json.loads(kernels["reverse_all2all/udma_put"].files["manifest.json"])
    assert "epoch" in manifest["kernel"]["args"]
    assert [buffer["name"] for buffer in manifest["buffers"]] == ["P"]


def test_a_put_is_complete_before_its_word(kernels):
    sender = kernels["matrix 0"].files["kernel.cpp"]
    calls = [line for line in sender.splitlines() if "aclshmem" in line and "    " in line]
    names = [re.search(r"aclshmemx?_\w+", line)[0] for line in calls]
    put = names.index("aclshmemx_udma_put_nbi")
    assert names[put : put + 3] == ["aclshmemx_udma_put_nbi", "aclshmemx_udma_quiet", "aclshmem_uint64_p"]
