"""Structs and constants of the CUDA driver as a C compiler has them from the headers that Triton brings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from a2agen.engines.ptx import environment
from a2agen.runtime import driver
from tests.runtime.layouts import C_NAMES, CONSTANTS, FIELDS, SIZES

COMPILER = os.environ.get("CXX") or "g++"


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason="no C++ compiler: apt-get install g++")
def test_layouts_are_those_of_the_header(tmp_path):
    wanted: dict[str, int] = {}
    lines: list[str] = []
    for struct, name in C_NAMES.items():
        lines.append(f'  std::printf("{struct} %zu\\n", sizeof({name}));')
        wanted[struct] = SIZES[struct]
        for field, (there, offset, size) in FIELDS[struct].items():
            lines.append(f'  std::printf("{field} %zu\\n", offsetof({name}, {there}));')
            lines.append(f'  std::printf("{field}_size %zu\\n", sizeof((({name}*)nullptr)->{there}));')
            wanted |= {field: offset, f"{field}_size": size}
    for ours, there in CONSTANTS.items():
        lines.append(f'  std::printf("{ours} %zu\\n", static_cast<std::size_t>({there}));')
        wanted[ours] = getattr(driver, ours)
    text = "\n".join(["#include <cuda.h>", "#include <cstddef>", "#include <cstdio>", "int main() {", *lines, "}\n"])
    (tmp_path / "layout.cpp").write_text(text)
    headers = environment.find().headers
    assert (headers / "cuda.h").is_file()
    subprocess.run([COMPILER, "-w", f"-I{headers}", "layout.cpp", "-o", "layout"], cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    assert {line.split()[0]: int(line.split()[1]) for line in said.splitlines()} == wanted


def test_functions_are_those_of_the_header():
    """With the suffixes of the versions that headers of today stand for."""
    text = (environment.find().headers / "cuda.h").read_text(encoding="utf-8", errors="replace")
    for name in ("cuStreamBatchMemOp_v2", "cuMemcpy2DAsync_v2"):
        assert re.search(rf"#define {name.removesuffix('_v2')} +__CUDA_API_PTSZ\({name}\)", text), name
    for name in ("cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuGetErrorName"):
        assert re.search(rf"CUDAAPI {name}\(", text), name
