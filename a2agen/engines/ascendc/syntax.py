"""Reads kernels and host programs by clang's parser, with address spaces that are types: `-fsyntax-only`, no code.

g++ knows no address spaces, so to it a pointer into the unified buffer is as good as one into global memory. To clang,
as to the compilers of Ascend, they are different types.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from a2agen.engines.ascendc.signature import header, signature_of
from a2agen.engines.ascendc.toolchain import STANDARD, ToolError, compiler

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
_WARNING = 2
_COMMON = (STANDARD, "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion-null", "-I", str(INCLUDE))


@dataclass(frozen=True, slots=True)
class Fault:
    """An error or a warning of the parser: the line of the file it is in, from 1, and what it says."""

    line: int
    text: str


def kernel_faults(text: str) -> tuple[Fault, ...]:
    """What clang says of a kernel's source. Raises ToolError where its parser is not installed."""
    return _parse("kernel.cpp", text, (*_COMMON, "-DA2AGEN_ADDRESS_SPACES", "-nostdinc", "-I", str(HERE / "bare")), {})


def host_faults(text: str, kernel: str) -> tuple[Fault, ...]:
    """What clang says of the host program of a kernel.

    Raises ToolError where its parser, or a standard library (that of the C++ compiler), is not installed.
    """
    signature = signature_of(kernel, "kernel.cpp")
    own = {f"aclrtlaunch_{signature.name}.h": header(signature)}
    return _parse("host.cpp", text, (*_COMMON, "-isystem", _standard_headers(), "-I", "/virtual"), own)


@lru_cache
def _standard_headers() -> str:
    """The folder of headers that go with the compiler, as stddef.h, which the parser comes without."""
    done = subprocess.run([compiler().path, "-print-file-name=include"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _parse(name: str, text: str, options: tuple[str, ...], others: dict[str, str]) -> tuple[Fault, ...]:
    index = _library()
    path = f"/virtual/{name}"
    files = [(path, text), *((f"/virtual/{other}", content) for other, content in others.items())]
    unit = index.parse(path, args=["-x", "c++", *options], unsaved_files=files)
    return tuple(_fault(d, path) for d in unit.diagnostics if d.severity >= _WARNING)


def _fault(diagnostic: Any, path: str) -> Fault:
    """A fault in a header counts for the file that includes it, at its first line."""
    file = diagnostic.location.file
    return Fault(diagnostic.location.line if file is not None and file.name == path else 1, diagnostic.spelling)


def _library() -> Any:
    try:
        from clang import cindex  # noqa: PLC0415 - a package of developers
    except ImportError:
        raise ToolError("address spaces are checked by clang's parser; run: pip install libclang") from None
    return cindex.Index.create()
