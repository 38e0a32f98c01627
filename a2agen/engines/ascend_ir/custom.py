"""Marks in the linalg form become the operations of HIVM that Triton-Distributed's own pass makes for Ascend.

The form is text, an operation to a line. What a mark takes as an integer is the address of a memory; the operation
takes that memory itself. (As an integer the address would lack its offset: triton-ascend 3.2.0 takes the pointer of
the memory that the offset is relative to.)
"""

from __future__ import annotations

import re

from a2agen.engines.ascend_ir.names import PRINT, TOKEN, VALUE

_ATTRIBUTES = (
    "hivm.tcore_type = #hivm.tcore_type<VECTOR>, hivm.pipe = #hivm.pipe<PIPE_S>, "
    "hivm.vf_mode = #hivm.vf_mode<SIMD>, hivm.is_distributed"
)
_DECLARED = re.compile(r"\s*func\.func private @(\w+)\(.*")
_PREFIX = re.compile(r'func\.func private @(triton_print_\d+)\(.*?prefix = "' + re.escape(PRINT) + r'([^"]+)"')
_NAME = re.compile(r"%[\w$.-]+")
_BOUND = re.compile(r"\s*(%[\w$.-]+) = ")
_CONSTANT = re.compile(r"(%\S+) = arith\.constant (?:dense<)?(-?\d+)>? :")
_POINTER = re.compile(r"\s*(%\S+) = memref\.extract_aligned_pointer_as_index (%\S+) : (.+) -> index")
_CAST = re.compile(r"\s*(%\S+) = arith\.index_cast (%\S+) : index to i64")
_BOXED = re.compile(r"\s*(%\S+) = tensor\.from_elements (%\S+) : tensor<1x(\w+)>")
_TO_POINTER = re.compile(r"\s*(%\S+) = tt\.int_to_ptr (%\S+) : ")
_FROM_POINTER = re.compile(r"\s*(%\S+) = tt\.ptr_to_int (%\S+) : ")
_PRINT = re.compile(r"(\s*)(?:func\.)?call @(\w+)\((.*?)\) : \((.*?)\) -> \(\)")
_MAPPED = re.compile(
    r"\s*(%\S+) = linalg\.map \{ func\.call \{callee = @" + re.escape(VALUE) + r"(\w+)\} \} ins\((.*?) : (.*?)\) outs"
)
_UNBOXED = re.compile(r"(\s*)(%\S+) = tensor\.extract (%\S+)\[.*?\] : tensor<1x(\w+)>")
# Those that Triton-Distributed's pass marks as without side effect: the compiler may drop or move them.
_PURE = ("_my_pe", "_n_pes", "_ptr_", "_wait_", "_consume_token_")
_NO_OPERANDS = ("_fence", "_quiet", "_barrier_all", "_barrier_all_vec", "_my_pe", "_n_pes")


class MarkError(Exception):
    """A mark is in a form that is not understood."""


def with_operations(text: str) -> str:
    """The linalg form with operations in place of all marks. Raises MarkError."""
    rewriter = _Rewriter(text)
    done = "\n".join(rewriter.lines()) + "\n"
    if VALUE in done or PRINT in done:
        left = next(line for line in done.splitlines() if VALUE in line or PRINT in line)
        raise MarkError(f"a mark is left: {left.strip()[:200]}")
    return done


class _Rewriter:
    def __init__(self, text: str) -> None:
        self._text = text
        self._symbols = dict(_PREFIX.findall(text))
        self._constants = {name: int(number) for name, number in _CONSTANT.findall(text)}
        self._memory: dict[str, tuple[str, str]] = {}
        self._boxed: dict[str, tuple[str, str]] = {}
        self._pending: dict[str, tuple[str, list[str]]] = {}
        self._same: dict[str, str] = {}
        self._tokens: dict[int, str] = {}

    def lines(self) -> list[str]:
        out: list[str] = []
        for given in self._text.splitlines():
            declared = _DECLARED.match(given)
            if declared and (declared[1] in self._symbols or declared[1].startswith(VALUE)):
                continue
            made = self._line(self._renamed(given))
            if made is not None:
                out.append(made)
        return out

    def _renamed(self, line: str) -> str:
        """The line with what its operands now are. A name that it binds may have stood for something in a region
        before."""
        bound = _BOUND.match(line)
        start = 0
        if bound:
            start = bound.end()
            for known in (self._same, self._memory, self._boxed, self._pending):
                known.pop(bound[1], None)
        return line[:start] + _NAME.sub(lambda name: self._same.get(name[0], name[0]), line[start:])

    def _line(self, line: str) -> str | None:
        self._note(line)
        if found := _TO_POINTER.match(line):
            self._same[found[1]] = found[2]
            return None
        if (found := _FROM_POINTER.match(line)) and not found[2].startswith("%arg"):
            self._same[found[1]] = found[2]
            return None
        if (found := _PRINT.match(line)) and found[2] in self._symbols:
            return self._printed(found)
        if found := _MAPPED.match(line):
            self._pending[found[1]] = (found[2], [name.strip() for name in found[3].split(",")])
            return None
        if (found := _UNBOXED.match(line)) and found[3] in self._pending:
            return self._valued(found)
        return line

    def _note(self, line: str) -> None:
        """Remember what the names that a line binds stand for."""
        if found := _POINTER.match(line):
            self._memory[found[1]] = (found[2], found[3])
        elif (found := _CAST.match(line)) and found[2] in self._memory:
            self._memory[found[1]] = self._memory[found[2]]
        elif found := _BOXED.match(line):
            self._boxed[found[1]] = (found[2], found[3])

    def _printed(self, found: re.Match[str]) -> str:
        """An operation without a result, or a wait."""
        symbol = self._symbols[found[2]]
        names, types = _split(found[3]), _split(found[4])
        operands = [self._memory.get(name, (name, kind)) for name, kind in zip(names, types, strict=True)]
        if "_wait_" not in symbol:
            return found[1] + _operation(symbol, operands)
        *operands, (number, _) = operands
        token = f"%token_{self._constants[number]}"
        self._tokens[self._constants[number]] = token
        return f"{found[1]}{token} = {_operation(symbol, operands)} -> i32"

    def _valued(self, found: re.Match[str]) -> str | None:
        """An operation that gives a value."""
        symbol, names = self._pending[found[3]]
        if symbol == TOKEN:
            number = self._number(names[0])
            if number not in self._tokens:
                raise MarkError(f"the token of wait {number} comes before it")
            self._same[found[2]] = self._tokens[number]
            return None
        operands = []
        for name in names:
            if name not in self._boxed and symbol.endswith(_NO_OPERANDS):
                continue
            if name not in self._boxed:
                raise MarkError(f"{symbol}: where {name} comes from")
            value, kind = self._boxed[name]
            value = self._same.get(value, value)
            operands.append(self._memory.get(value, (value, kind)))
        return f"{found[1]}{found[2]} = {_operation(symbol, operands)} -> {found[4]}"

    def _number(self, name: str) -> int:
        name = self._boxed[name][0] if name in self._boxed else name
        return self._constants[name]


def _operation(symbol: str, operands: list[tuple[str, str]]) -> str:
    if symbol.endswith(_NO_OPERANDS):
        operands = []
    names, types = ", ".join(name for name, _ in operands), ", ".join(kind for _, kind in operands)
    ins = f" ins({names} : {types})" if operands else ""
    attributes = _ATTRIBUTES + (", no_side_effect" if any(part in symbol for part in _PURE) else "")
    return f'hivm.hir.custom {{{attributes}, symbol = "{symbol}"}} "dist.{symbol}"{ins}'


def _split(names: str) -> list[str]:
    """Names or types apart by commas, those within brackets aside."""
    return [part.strip() for part in re.split(r",(?![^<]*>)", names) if part.strip()]
