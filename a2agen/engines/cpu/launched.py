"""What a launcher asks of a kernel file that somebody edited, and what the file lacks of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from a2agen.engines.cpu.errors import KernelError
from a2agen.engines.cpu.program import Program


@dataclass(frozen=True, slots=True)
class Taken:
    """An argument that a kernel takes, and its line."""

    name: str
    line: int
    required: bool


def no_kernel(program: Program, wanted: Sequence[str], defined: Iterable[str]) -> KernelError:
    """The launcher launches kernels that the file does not have."""
    what = f"no kernel{'s' * (len(wanted) > 1)} {', '.join(wanted)}"
    there = ", ".join(defined) or "none"
    text = f"{what}, which {program.launcher_path} launches; it defines {there}"
    return KernelError(text, program.kernel_path)


def unlike(program: Program, kernel: str, refused: str | None) -> KernelError | None:
    """Why a kernel does not take what the launcher gives, None where it does.

    `refused` is what Python says where the call does not fit. Where the text is known that the launcher was emitted
    with, the arguments that differ are named, and found too where one that has a default hides that another is gone.
    """
    found = None if program.emitted is None else _difference(program.kernel, program.emitted, kernel, refused is None)
    if found is not None:
        line, took, which = found
        giving = "does not give" if which == "added" else "gives"
        return KernelError(f"{kernel} takes {took}, which {program.launcher_path} {giving}", program.kernel_path, line)
    if refused is None:
        return None
    text = f"{kernel} does not take what {program.launcher_path} gives: {refused}"
    head = _head(program.kernel, kernel)
    return KernelError(text, program.kernel_path, None if head is None else head[0])


@lru_cache(maxsize=64)
def _difference(edited: str, emitted: str, kernel: str, fits: bool) -> tuple[int, str, str] | None:
    """The line, the arguments, and whether they were "added" or are "gone". What only has another name is no
    difference: arguments are given in their order."""
    edited_head, emitted_head = _head(edited, kernel), _head(emitted, kernel)
    if edited_head is None or emitted_head is None:
        return None
    (line, takes), (_, gives) = edited_head, emitted_head
    if fits and sum(taken.required for taken in takes) == sum(taken.required for taken in gives):
        return None
    old, new = [taken.name for taken in gives], [taken.name for taken in takes]
    added: list[Taken] = []
    gone: list[Taken] = []
    for _, low, high, start, end in (
        change for change in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if change[0] != "equal"
    ):
        renamed = min(high - low, end - start)
        added += takes[start + renamed : end]
        gone += gives[low + renamed : high]
    added = [taken for taken in added if taken.required and taken.name not in old]
    gone = [taken for taken in gone if taken.required and taken.name not in new]
    if added:
        return added[0].line, ", ".join(taken.name for taken in added), "added"
    if gone:
        return line, "no " + ", ".join(taken.name for taken in gone), "gone"
    return None


@lru_cache(maxsize=64)
def _head(text: str, kernel: str) -> tuple[int, list[Taken]] | None:
    """The line of a kernel and what it takes in order; None where the file has none of that name."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == kernel]
    if not functions:
        return None
    made = functions[-1]
    ordered = [*made.args.posonlyargs, *made.args.args]
    bare = len(ordered) - len(made.args.defaults)
    taken = [Taken(arg.arg, arg.lineno, number < bare) for number, arg in enumerate(ordered)]
    named = zip(made.args.kwonlyargs, made.args.kw_defaults, strict=True)
    return made.lineno, taken + [Taken(arg.arg, arg.lineno, default is None) for arg, default in named]
