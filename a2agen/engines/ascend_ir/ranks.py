"""Runs a compiled kernel with all ranks and cores as threads. Runs in the compilers' environment."""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a2agen.engines.ascend_ir.jit import Function, Kernel
from a2agen.engines.ascend_ir.standin.cpu import BARRIER, YIELD
from a2agen.engines.ascend_ir.standin.stock import HEAP

_LINE = 512
_INTEGERS = {"i32": ctypes.c_int32, "i64": ctypes.c_int64}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of the kernel: a memory of so many bytes, or a value. `role` says what happens to a memory between
    launches: `in` is filled, `out` is read, `clear` is set to zero."""

    kind: str
    value: int
    role: str


class Ranks:
    """The ranks of a job, each with its memory in one block of `HEAP` bytes a rank."""

    def __init__(self, request: dict[str, Any], text: str, compilers: Path, scratch: Path) -> None:
        self._ranks, self._cores, self._launches = request["ranks"], request["cores"], request["launches"]
        self._host: list[str] = request["host"]
        self._folder = Path(request["folder"])
        self._arguments = [Argument(**argument) for argument in request["arguments"]]
        self._heap = mmap.mmap(-1, HEAP * self._ranks)
        self._offsets = self._layout()
        self._base = ctypes.addressof(ctypes.c_char.from_buffer(self._heap))
        everybody = threading.Barrier(self._ranks * self._cores)
        self._hosts = threading.Barrier(self._ranks)
        functions: dict[str, Function] = {YIELD: os.sched_yield, BARRIER: everybody.wait}
        self._barriers = (everybody, self._hosts)
        self._kernel = Kernel(text, request["name"], compilers, scratch, functions)

    def run(self, seconds: float) -> str | None:
        """All launches; returns what went wrong."""
        failures: list[str] = []
        hosts = [
            threading.Thread(target=self._host_program, args=(rank, failures), daemon=True)
            for rank in range(self._ranks)
        ]
        for host in hosts:
            host.start()
        for host in hosts:
            host.join(seconds)
            seconds = seconds if not host.is_alive() else 0.0
        if any(host.is_alive() for host in hosts):
            failures.append("the kernel hangs")
        return failures[0] if failures else None

    def _layout(self) -> list[int]:
        """Where each memory begins within a rank's block. All of them lie the same at all ranks."""
        offsets, at = [], 0
        for argument in self._arguments:
            offsets.append(at)
            if argument.kind == "memory":
                at += -(-argument.value // _LINE) * _LINE
        if at > HEAP:
            raise ValueError(f"a rank needs {at} bytes, and has {HEAP}")
        return offsets

    def _host_program(self, rank: int, failures: list[str]) -> None:
        """The launches of a rank, one after the other as on a stream."""
        try:
            kernel = self._kernel.bound([self._bound(n, rank) for n in range(len(self._arguments))])
            for launch in range(self._launches):
                self._fill(rank, launch)
                for operation in self._host:
                    self._operate(operation, rank, kernel)
                self._read(rank, launch)
        except Exception as failure:
            failures.append(f"rank {rank}: {type(failure).__name__}: {failure}")
            for barrier in self._barriers:
                barrier.abort()

    def _operate(self, operation: str, rank: int, kernel: Any) -> None:
        if operation == "clear":
            for number, argument in enumerate(self._arguments):
                if argument.role == "clear":
                    ctypes.memset(self._address(number, rank), 0, argument.value)
        elif operation == "barrier":
            self._hosts.wait()
        elif operation == "launch":
            programs = (self._cores, 1, self._ranks)
            cores = [
                threading.Thread(target=kernel, args=(programs, (core, 0, rank)), daemon=True)
                for core in range(self._cores)
            ]
            # Readers first: what they wait for has not happened yet.
            for core in reversed(cores):
                core.start()
            for core in cores:
                core.join()

    def _address(self, number: int, rank: int) -> int:
        return self._base + rank * HEAP + self._offsets[number]

    def _bound(self, number: int, rank: int) -> Any:
        argument = self._arguments[number]
        if argument.kind == "memory":
            return ctypes.c_void_p(self._address(number, rank))
        return _INTEGERS[argument.kind](rank if argument.role == "rank" else argument.value)

    def _fill(self, rank: int, launch: int) -> None:
        for number, argument in enumerate(self._arguments):
            if argument.role == "in":
                data = (self._folder / f"in-{launch}-{rank}").read_bytes()
                ctypes.memmove(self._address(number, rank), data, len(data))

    def _read(self, rank: int, launch: int) -> None:
        for number, argument in enumerate(self._arguments):
            if argument.role == "out":
                data = ctypes.string_at(self._address(number, rank), argument.value)
                (self._folder / f"out-{launch}-{rank}").write_bytes(data)
