"""The linalg form of a kernel as a function of this process: by upstream passes to LLVM, and compiled for the CPU.

Runs in the compilers' environment.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from triton._C.libtriton import ir
from triton._C.libtriton import llvm as triton_llvm

from a2agen.engines.ascend_ir.names import PRINT

_BUFFERS = ("--empty-tensor-to-alloc-tensor", "--one-shot-bufferize=allow-return-allocs-from-loops=true")
_LLVM = (
    "--convert-linalg-to-loops",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-index-to-llvm",
    "--reconcile-unrealized-casts",
)
_PREFIX = re.compile(r'func\.func private @(triton_print_\d+)\(.*?prefix = "' + re.escape(PRINT) + r'([^"]+)".*\n')
# A copy would become a call of a function of MLIR's run-time library; linalg has one that becomes a loop.
_COPY = re.compile(r"memref\.copy (\S+), (\S+) : (.+) to (.+)")
# Attributes of dialects that the reader of the next stage does not know.
_ATTRIBUTES = (
    (re.compile(r"tt\.[a-z_]+ = [^,}]*,? ?"), ""),
    (re.compile(r"hivm\.[a-z_]+(?: = [^,}]*)?,? ?"), ""),
    (re.compile(r"(%arg\d+: [^,){]*) \{\}"), r"\1"),
)

Function = Callable[[], object]


class Kernel:
    """A compiled kernel. `functions` are what its marks call, by name."""

    def __init__(self, text: str, name: str, compilers: Path, scratch: Path, functions: dict[str, Function]) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        module = llvm.parse_assembly(_to_llvm(_called(text), compilers, scratch))
        module.verify()
        self._kept: list[Any] = []
        for mark, function in functions.items():
            # A mark hands over an integer that means nothing.
            callback = ctypes.CFUNCTYPE(None, ctypes.c_int32)(lambda _, function=function: _nothing(function()))
            self._kept.append(callback)
            llvm.add_symbol(_symbol(mark), ctypes.cast(callback, ctypes.c_void_p).value)
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        self._kept += [machine, engine]
        self._address = engine.get_function_address(name)

    def bound(self, arguments: list[Any]) -> Callable[[tuple[int, int, int], tuple[int, int, int]], None]:
        """The kernel with its own arguments: addresses of memories as c_void_p, and c_int32 or c_int64. What it returns
        takes the numbers of programs and the program's own."""
        flat: list[Any] = [*_memory(None), *_memory(None)]  # a lock and a workspace, neither of them used
        for argument in arguments:
            flat += _memory(argument.value) if isinstance(argument, ctypes.c_void_p) else [argument]
        kinds = [type(a) for a in flat] + [ctypes.c_int32] * 6
        function = ctypes.CFUNCTYPE(None, *kinds)(self._address)
        return lambda programs, program: function(*flat, *programs, *program)


def _memory(address: int | None) -> list[Any]:
    """A memory of one axis, as MLIR hands it over: pointer, aligned pointer, offset, size, stride."""
    pointer = ctypes.c_void_p(address)
    return [pointer, pointer, ctypes.c_int64(0), ctypes.c_int64(1 << 40), ctypes.c_int64(1)]


def _symbol(mark: str) -> str:
    return f"a2agen_{mark}"


def _nothing(_: object) -> None:
    """A callback without a result."""


def _called(text: str) -> str:
    """The form with a function for each mark in place of prints."""
    marks = dict(_PREFIX.findall(text))
    text = _PREFIX.sub("", text)
    text = re.sub(r"@(triton_print_\d+)\b", lambda found: f"@{_symbol(marks[found[1]])}", text)
    declared = "".join(f"  func.func private @{_symbol(mark)}(i32)\n" for mark in sorted(set(marks.values())))
    return text.replace("module {\n", f"module {{\n{declared}", 1)


def _to_llvm(text: str, compilers: Path, scratch: Path) -> str:
    """The form as a module of LLVM."""
    text = re.sub(r', mix_mode = "[^"]*"', "", text)
    text = _opt(text, _BUFFERS, compilers, scratch)
    text = _COPY.sub(r"linalg.copy ins(\1 : \3) outs(\2 : \4)", text)
    text = _opt(text, _LLVM, compilers, scratch)
    for pattern, replacement in _ATTRIBUTES:
        text = pattern.sub(replacement, text)
    path = scratch / "llvm.mlir"
    path.write_text(text, encoding="utf-8")
    context = ir.context()
    ir.load_dialects(context)
    module = ir.parse_mlir_module(str(path), context)
    module.context = context
    triton_llvm.init_targets()
    return str(triton_llvm.to_module(module, triton_llvm.context()))


def _opt(text: str, passes: tuple[str, ...], compilers: Path, scratch: Path) -> str:
    (scratch / "in.mlir").write_text(text, encoding="utf-8")
    command = [str(compilers / "bishengir-opt"), "in.mlir", *passes]
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"bishengir-opt: {done.stderr.strip()[:500]}")
    return done.stdout
