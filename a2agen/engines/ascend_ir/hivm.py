"""What is in final HIVM: how many of each operation a kernel still has.

Final HIVM is text, an operation to a line. On A2 and A3 loops are `scf.for` and `scf.while`, on A5 branches between
blocks in order: a branch to a block no later than its own closes a loop, and the loop is a wait when it hands on what
its last block loads from global memory.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

OPERATIONS = ("loads", "stores", "waits", "notifies", "loops", "puts", "fences", "quiets", "barriers")
"""What is counted: tiles loaded and stored, waits, notifies, loops over tasks, and calls of the library."""

_CALL = re.compile(r"call @(?:_mlir_ciface_)?(\w+)\(")
_BLOCK = re.compile(r"\s*\^bb(\d+)")
_BRANCH = re.compile(r"\s*cf\.(?:cond_)?br\b")
_LOAD = re.compile(r"\s*(%[\w$.-]+) = memref\.load .*#hivm\.address_space<gm>")
_NAME = re.compile(r"%[\w$.-]+")
_TARGET = re.compile(r"\^bb(\d+)")
_LIBRARY = {
    "aclshmem_int64_p": "notifies",
    "aclshmem_putmem": "puts",
    "aclshmem_fence": "fences",
    "aclshmem_quiet": "quiets",
    "aclshmem_barrier_all": "barriers",
    "aclshmem_barrier_all_vec": "barriers",
    "aclshmemx_barrier_all_vec": "barriers",
}


@dataclass(frozen=True, slots=True)
class Found:
    """The operations of a kernel by name, and how often it calls each symbol of the library."""

    operations: dict[str, int]
    symbols: dict[str, int]


def read(text: str, kernel: str) -> Found:
    """The operations of the kernel of that name; raises ValueError where the text has no such function."""
    counts: Counter[str] = Counter()
    symbols: Counter[str] = Counter()
    for called in _calls(body(text, kernel)):
        if called.startswith("load_gm_to_ubuf"):
            counts["loads"] += 1
        elif called.startswith("store_ubuf_to_gm"):
            counts["stores"] += 1
        elif called.startswith("aclshmem_wait_"):
            counts["waits"] += 1
        elif called in _LIBRARY:
            counts[_LIBRARY[called]] += 1
        if called.startswith("aclshmem"):
            symbols[called] += 1
    for kind, number in _loops(body(text, kernel)).items():
        counts[kind] += number
    return Found({name: counts[name] for name in OPERATIONS}, dict(sorted(symbols.items())))


def body(text: str, kernel: str) -> list[str]:
    """The lines of a function."""
    lines = text.splitlines()
    starts = [n for n, line in enumerate(lines) if re.match(rf"\s*func\.func @{re.escape(kernel)}\(", line)]
    if not starts:
        raise ValueError(f"the text has no function {kernel}")
    indent = len(lines[starts[0]]) - len(lines[starts[0]].lstrip())
    end = next(n for n in range(starts[0] + 1, len(lines)) if lines[n].rstrip() == " " * indent + "}")
    return lines[starts[0] + 1 : end]


def _calls(lines: list[str]) -> list[str]:
    return [found[1] for line in lines if (found := _CALL.search(line))]


def _loops(lines: list[str]) -> Counter[str]:
    """Loops over tasks, and loops that wait."""
    counts: Counter[str] = Counter()
    block: int = 0
    loaded: set[str] = set()
    for line in lines:
        if found := _BLOCK.match(line):
            block, loaded = int(found[1]), set()
        if found := _LOAD.match(line):
            loaded.add(found[1])
        if _BRANCH.match(line) and any(int(target) <= block for target in _TARGET.findall(line)):
            counts["waits" if loaded.intersection(_NAME.findall(line)) else "loops"] += 1
        counts["loops"] += len(re.findall(r"\bscf\.for\b", line))
        counts["waits"] += len(re.findall(r"\bscf\.while\b", line))
    return counts
