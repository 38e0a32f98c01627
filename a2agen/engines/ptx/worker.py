"""The program that runs in Triton's environment: a job to a line of its input, an answer to a line of its output.

A kernel is compiled as a launch on a GPU compiles it: with the stand-in for Triton-Distributed that the engine `cuda`
puts in place, and by the same call, which sees of the launch's arguments what Triton specialises a kernel for. What a
GPU would be asked is answered for one of compute capability 9.0.
"""

from __future__ import annotations

import importlib.util
import io
import json
import re
import struct
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TextIO

import triton
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

from a2agen.runtime import standin

CAPABILITY = 90
_TOOLS = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
_USAGE = re.compile(r"REG:(\d+) STACK:(\d+) SHARED:(\d+) LOCAL:(\d+)")
_MODULES: dict[str, Any] = {}


class Absent:
    """What Triton asks of the GPU that is not there."""

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:  # noqa: ARG002
        return 0

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", CAPABILITY, 32)


class Tensor:
    """As much of a tensor as a kernel is specialised for: its type, and an address like those of torch's allocators."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def data_ptr(self) -> int:
        return 1 << 20


def serve(jobs: TextIO, answers: TextIO) -> None:
    """Answer jobs until their end."""
    standin.install()
    driver.set_active(Absent())
    with tempfile.TemporaryDirectory(prefix="a2agen-") as place:
        for number, line in enumerate(jobs):
            # What the compiler prints must not get between the answers.
            with redirect_stdout(io.StringIO()):
                answer = answered(json.loads(line), Path(place), number)
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


def answered(job: dict[str, Any], place: Path, number: int) -> dict[str, Any]:
    """The answer to a job: the fields of `compilers.Answer`, or the error and the time alone."""
    started = time.monotonic()
    try:
        answer = _compiled(job, place, number)
    except Exception as failure:  # whatever a compiler raises is its verdict
        answer = {"error": _reasons(failure)}
    return {**answer, "seconds": time.monotonic() - started}


def _reasons(failure: BaseException) -> str:
    """What the compiler says: Triton tells the place, and of what it was raised from the reason."""
    said = []
    found: BaseException | None = failure
    while found is not None:
        said.append(f"{type(found).__name__}: {found}")
        found = found.__cause__
    return "\n".join(reversed(said))[:2000]


def _compiled(job: dict[str, Any], place: Path, number: int) -> dict[str, Any]:
    arguments = [Tensor(a) if isinstance(a, str) else a for a in job["arguments"]]
    kernel = getattr(_module(job["kernel"], place, number), job["name"])
    done = kernel.fn.warmup(Tensor("torch.int64"), *arguments, grid=(1,), **job["options"])
    path = place / "kernel.cubin"
    path.write_bytes(done.asm["cubin"])
    usage = _USAGE.search(_tool("cuobjdump", "-res-usage", path))
    assert usage is not None
    registers, stack, shared, local = map(int, usage.groups())
    return {
        "parameters": [name for name, kind in done.src.signature.items() if kind != "constexpr"],
        "ptx": done.asm["ptx"],
        "sass": _tool("nvdisasm", "-c", path),
        "warps": done.metadata.num_warps,
        "registers": registers,
        "stack_bytes": stack,
        "local_bytes": local,
        "shared_bytes": max(shared, done.metadata.shared),
        "code_bytes": _code_bytes(done.asm["cubin"], job["name"]),
        "error": None,
    }


def _module(text: str, place: Path, number: int) -> Any:
    """The module of a text; Triton keeps what it has compiled of one."""
    if text not in _MODULES:
        folder = place / str(number)
        folder.mkdir()
        (folder / "kernel.py").write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(f"kernel_{number}", folder / "kernel.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _MODULES[text] = module
    return _MODULES[text]


def _tool(name: str, flag: str, path: Path) -> str:
    done = subprocess.run([str(_TOOLS / name), flag, str(path)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name}: {(done.stderr or done.stdout).strip()[:500]}")
    return done.stdout


def _code_bytes(cubin: bytes, name: str) -> int:
    """The size of a kernel's section of machine code. (The whole file also holds the paths of sources.)"""
    (table,) = struct.unpack_from("<Q", cubin, 0x28)
    size, count, strings = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + n * size) for n in range(count)]
    names = headers[strings][4]
    for label, _, _, _, _, length in headers:
        if cubin[names + label : cubin.index(b"\0", names + label)].decode() == f".text.{name}":
            return int(length)
    raise ValueError(f"there is no machine code of {name}")


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
