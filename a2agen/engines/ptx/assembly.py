"""The text of PTX as instructions in blocks: who follows whom, of which line of the kernel each is, and what an address
is made from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_LINE = re.compile(r"\.loc\s+\d+ (\d+)")
_ORIGIN = re.compile(r" with peers:(\d+):\d+")
_LABEL = re.compile(r"^([\w$]+):")
_REGISTER = re.compile(r"%[\w$.]+")
_PARAMETER = re.compile(r"_param_(\d+)\]")
_ENDS = ("ret", "exit", "trap")
# Special registers are no values of the kernel's own.
_SPECIAL = re.compile(r"%(?:tid|ntid|ctaid|nctaid|laneid|warpid|clock\w*|globaltimer\w*)\b")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its parts after the opcode's name (`ld`, `acquire`, `sys`, …), the predicate with its sign or
    "", the operands, and the line of the kernel's text that it comes from (0 where there is none)."""

    parts: tuple[str, ...]
    predicate: str
    operands: tuple[str, ...]
    line: int

    @property
    def name(self) -> str:
        return self.parts[0]

    @property
    def address(self) -> str:
        """The operand that is an address, "" where none is."""
        return next((o for o in self.operands if o.startswith("[")), "")

    @property
    def width(self) -> int:
        """Bits that a load or store moves for each thread."""
        vector = next((int(p[1:]) for p in self.parts if re.fullmatch(r"v\d", p)), 1)
        return vector * int(re.sub(r"\D", "", self.parts[-1]))

    def __str__(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions that run one after the other, and the numbers of the blocks that may follow."""

    instructions: tuple[Instruction, ...]
    successors: tuple[int, ...]


def blocks(ptx: str, kernel: str) -> tuple[Block, ...]:
    """The blocks of a kernel in the order of the text, the first of which is where it starts.

    Raises ValueError where the text has no such kernel, or a branch goes nowhere.
    """
    labels: dict[str, int] = {}
    found: list[list[Instruction]] = [[]]
    for item in _items(ptx, kernel):
        if isinstance(item, str):
            if found[-1]:
                found.append([])
            labels[item] = len(found) - 1
            continue
        found[-1].append(item)
        if item.name in ("bra", *_ENDS):
            found.append([])
    return tuple(Block(tuple(block), _successors(block, n, labels, len(found))) for n, block in enumerate(found))


def _successors(block: list[Instruction], number: int, labels: Mapping[str, int], count: int) -> tuple[int, ...]:
    last = block[-1] if block else None
    after = (number + 1,) if number + 1 < count else ()
    if last is not None and last.name in _ENDS:
        return after if last.predicate else ()
    if last is None or last.name != "bra":
        return after
    target = labels.get(last.operands[0])
    if target is None:
        raise ValueError(f"a branch to {last.operands[0]}, which is nowhere")
    return (target, *after) if last.predicate else (target,)


def _items(ptx: str, kernel: str) -> list[Instruction | str]:
    """Labels and instructions. A label of inline assembly is known in its braces alone."""
    items: list[Instruction | str] = []
    line, scope, scopes = 0, "", 0
    for text in _body(ptx, kernel):
        if text.lstrip().startswith(".loc"):
            line = _origin(text)
            continue
        rest = text.partition("//")[0].strip()
        while rest:
            if rest[0] in "{}":
                scopes += rest[0] == "{"
                scope = f"{scopes}:" if rest[0] == "{" else ""
                rest = rest[1:].strip()
                continue
            if found := _LABEL.match(rest):
                items.append(scope + found[1] if not found[1].startswith("$") else found[1])
                rest = rest[found.end() :].strip()
                continue
            piece, _, rest = rest.partition(";")
            rest = rest.strip()
            if not piece.lstrip().startswith("."):
                items.append(_instruction(piece.strip(), line, scope))
    return items


def _body(ptx: str, kernel: str) -> list[str]:
    lines = ptx.splitlines()
    starts = [n for n, line in enumerate(lines) if re.search(rf"\.entry {re.escape(kernel)}\(", line)]
    if not starts:
        raise ValueError(f"the text has no kernel {kernel}")
    first = next(n for n in range(starts[0], len(lines)) if lines[n] == "{")
    end = next(n for n in range(first, len(lines)) if lines[n] == "}")
    return lines[first + 1 : end]


def _origin(text: str) -> int:
    """The line of the kernel's text that a place in a function comes from, which may be inlined into it."""
    origins = _ORIGIN.findall(text)
    if origins:
        return int(origins[-1])
    found = _LINE.search(text)
    assert found is not None
    return 0


def _instruction(text: str, line: int, scope: str) -> Instruction:
    predicate = ""
    if text.startswith("@"):
        predicate, text = text.split(None, 1)
    opcode, _, rest = text.partition(" ")
    opcode, tab, behind = opcode.partition("\t")
    operands = _operands((behind + " " + rest if tab else rest).strip())
    if opcode.startswith("bra") and not operands[0].startswith("$"):
        operands = (scope + operands[0],)
    return Instruction(tuple(opcode.split(".")), predicate.lstrip("@"), operands, line)


def _operands(text: str) -> tuple[str, ...]:
    """Operands at the commas between them, not at those in braces."""
    return tuple(part.strip() for part in re.split(r",(?![^{\[]*[}\]])", text) if part.strip())


def roots(program: tuple[Block, ...], parameters: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """For each register the parameters that its value is made from, `*name` where by a load from what that points to.

    By all instructions at once, whatever their order, so that nothing is left out.
    """
    found: dict[str, set[str]] = {}
    every = [i for block in program for i in block.instructions]
    changed = True
    while changed:
        changed = False
        for instruction in every:
            if instruction.name in ("st", "red", "bar", "bra") or not instruction.operands:
                continue
            target, sources = instruction.operands[0], instruction.operands[1:]
            value: set[str] = set()
            for source in sources:
                if number := _PARAMETER.search(source):
                    value |= {parameters[int(number[1])]} if int(number[1]) < len(parameters) else set()
                else:
                    value |= made_from(source, found)
            if instruction.name in ("ld", "atom") and "param" not in instruction.parts:
                value = {name if name.startswith("*") else f"*{name}" for name in value}
            for register in _registers(target):
                known = found.setdefault(register, set())
                changed = changed or not value <= known
                known |= value
    return {register: frozenset(names) for register, names in found.items()}


def made_from(operand: str, known: Mapping[str, set[str]] | Mapping[str, frozenset[str]]) -> set[str]:
    """What the registers of an operand are made from."""
    found: set[str] = set()
    for register in _registers(operand):
        found |= known.get(register, set())
    return found


def _registers(operand: str) -> list[str]:
    return [r for r in _REGISTER.findall(operand) if not _SPECIAL.match(r)]
