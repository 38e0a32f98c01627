"""From the linalg form to final HIVM, by bishengir-compile. Runs in the compilers' environment.

Behind final HIVM bishengir-compile calls `hivmc` of CANN, which makes machine code. In its place is a script that
takes the text as it is: then the exit code is the verdict of everything up to final HIVM.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

_HIVMC = """#!/bin/sh
[ "$1" = --version ] && { echo "hivmc 1.2.0 (8796a8ac1508 2026-07-29)"; exit 0; }
for argument; do
  [ "$before" = -o ] && out="$argument"
  case "$argument" in *.mlir|*.mlirbc|*.bc) in="$argument";; esac
  before="$argument"
done
cp "$in" "$out" && cp "$in" "$out.o"
"""
_COMMON = ("--enable-auto-multi-buffer=True", "--enable-hfusion-compile=true", "--enable-triton-kernel-compile=true")
# Also says how much of the on-chip buffer is planned: in a file, or in a line.
_A2_A3 = ("--enable-auto-bind-sub-block=True", "--enable-hivm-compile=true", "--enable-memory-display")
_A5 = ("--enable-print-memory-allocated-size",)
_ALLOCATED = re.compile(r"Allocated UB size = (\d+) bits")
# What buffers are aligned to; the file gives their bits without it.
_ALIGN = 32
_TIMEOUT_SECONDS = 120


class CompilerError(Exception):
    """The compiler does not accept a kernel; the text is what it says."""


@dataclass(frozen=True, slots=True)
class Final:
    """Final HIVM, and how many bytes of the on-chip buffer are planned."""

    text: str
    ub_bytes: int


def is_a5(chip: str) -> bool:
    return "95" in chip.removeprefix("Ascend910_") or chip.startswith("Ascend95")


def stand_in(folder: Path) -> None:
    """Put the script in a folder, under the names that bishengir-compile looks for."""
    for name in ("hivmc", "hivmc-a5"):
        path = folder / name
        path.write_text(_HIVMC, encoding="utf-8")
        path.chmod(0o755)


def compile_(text: str, chip: str, compilers: Path, stand_ins: Path, scratch: Path) -> Final:
    """Final HIVM of a linalg form. `scratch` is an empty folder. Raises CompilerError."""
    # The backend of triton-ascend drops the attribute too.
    (scratch / "kernel.mlir").write_text(re.sub(r', mix_mode = "[^"]*"', "", text), encoding="utf-8")
    flags = [*_COMMON, *(_A5 if is_a5(chip) else _A2_A3), f"--target={chip}"]
    path = os.pathsep.join([str(stand_ins), str(compilers), os.environ.get("PATH", "")])
    try:
        done = subprocess.run(
            ["bishengir-compile", "kernel.mlir", *flags, "-o", "kernel"],
            cwd=scratch,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CompilerError(f"bishengir-compile ran for more than {_TIMEOUT_SECONDS} s") from None
    said = done.stdout + done.stderr
    if done.returncode != 0:
        raise CompilerError(_reason(said, done.returncode))
    return Final((scratch / "kernel").read_text(encoding="utf-8"), _ub_bytes(said, scratch))


def _reason(said: str, code: int) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line for line in lines if "overflow" in line or "error" in line.lower()]
    return (told or lines or [f"bishengir-compile ended with code {code}"])[0][:500]


def _ub_bytes(said: str, scratch: Path) -> int:
    allocated = [int(bits) for bits in _ALLOCATED.findall(said)]
    if allocated:
        return max(allocated) // 8
    ends = [0]
    for path in scratch.glob("memory_info_*.json"):
        for record in json.loads(path.read_text(encoding="utf-8"))["Record"]:
            for buffer in record["memory_info_array"]:
                ends += [offset + buffer["extent"] // 8 for offset in buffer["offset"]]
    return -(-max(ends) // _ALIGN) * _ALIGN
