"""What a multiprocessor holds, and what the machine code of a kernel must and must not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from a2agen.engines.ptx.compilers import Answer

MULTIPROCESSORS = 132
"""Of an H100 SXM5 and an H200 SXM (their data sheets)."""
REGISTERS = 65536
WARPS = 64
PROGRAMS = 32
SHARED_BYTES = 227 * 1024
"""Of one multiprocessor, CUDA C++ Programming Guide, technical specifications of compute capability 9.0."""
REGISTER_UNIT = 256
"""Registers are given to a warp in units of so many (CUDA occupancy calculator, compute capability 9.0)."""
SHARED_RESERVED = 1024
"""Bytes of shared memory that the system takes for each program (the same)."""

_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[\dT]+ )?([A-Z][\w.]*)([^;]*);")
_LABEL = re.compile(r"^(\.L_x_\d+):", re.MULTILINE)
_BRANCH = re.compile(r"\bBRA\b[^;]*`\((\.L_x_\d+)\)")
_GLOBAL = ("LD.", "LDG", "ST.", "STG", "ATOM", "RED")


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction of a multiprocessor: the opcode with its modifiers, and the rest of its text."""

    opcode: str
    rest: str


def resident(answer: Answer) -> int:
    """How many programs of a kernel run at the same time on the whole machine."""
    registers = -(-answer.registers * 32 // REGISTER_UNIT) * REGISTER_UNIT * answer.warps
    limits = [PROGRAMS, WARPS // answer.warps, REGISTERS // registers]
    limits.append(SHARED_BYTES // (answer.shared_bytes + SHARED_RESERVED))
    return MULTIPROCESSORS * min(limits)


def instructions(sass: str) -> list[Instruction]:
    """The instructions of a disassembled kernel in the order of the text."""
    return [Instruction(found[1], found[2]) for found in _INSTRUCTION.finditer(sass)]


def spills(sass: str) -> tuple[int, int]:
    """How many instructions store to or load from local memory, and how many of them in a loop: between a branch and
    what it goes back to."""
    labels = {found[1]: found.start() for found in _LABEL.finditer(sass)}
    loops = [(labels[b[1]], b.start()) for b in _BRANCH.finditer(sass) if labels.get(b[1], b.start()) < b.start()]
    places = [found.start() for found in _INSTRUCTION.finditer(sass) if found[1].split(".")[0] in ("STL", "LDL")]
    return len(places), sum(any(first <= place <= last for first, last in loops) for place in places)


def widths(sass: str, name: str) -> list[int]:
    """The bits of each load (`LDG`) or store (`STG`) of global memory that orders nothing."""
    found = [i.opcode for i in instructions(sass) if i.opcode.split(".")[0] == name and "STRONG" not in i.opcode]
    return [next((int(p.lstrip("US")) for p in o.split(".") if re.fullmatch(r"[US]?\d+", p)), 32) for o in found]


def faults(sass: str, waits: int, notifies: int) -> Iterator[str]:
    """What is wrong with machine code that has to wait and notify at so many places, or more where loops are
    unrolled."""
    code = instructions(sass)
    if found := [i.opcode for i in code if i.opcode.split(".")[0] in ("BPT", "CALL")]:
        yield f"machine code has {', '.join(sorted(set(found)))}"
    strong = [(n, i.opcode) for n, i in enumerate(code) if "STRONG" in i.opcode]
    if other := [o for _, o in strong if "STRONG.SYS" not in o]:
        yield f"machine code has {', '.join(sorted(set(other)))}, of less than system scope"
    loads = [n for n, o in strong if o.startswith("LD")]
    stores = [n for n, o in strong if not o.startswith("LD")]
    for name, have, want in (("waits", loads, waits), ("notifies", stores, notifies)):
        if len(have) < want:
            yield f"machine code has {len(have)} {name} of {want}"
    for n in loads:
        behind = next((i.opcode for i in code[n + 1 :] if i.opcode.startswith((*_GLOBAL, "CCTL"))), "")
        if behind != "CCTL.IVALL":
            yield "machine code does not drop what is cached behind a wait"
    for n in stores:
        before = next((i.opcode for i in reversed(code[:n]) if i.opcode.startswith((*_GLOBAL, "MEMBAR"))), "")
        if not (before.startswith("MEMBAR") and before.endswith("SYS")):
            yield "machine code has no MEMBAR of system scope before a notify"
