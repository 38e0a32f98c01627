"""Kernels with one synchronisation operation left out, and how soon the simulator notices."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, replace

from a2agen.engines.cpu import simulation
from a2agen.engines.cpu.program import Program
from a2agen.engines.small import small_setups
from a2agen.ir.model import Schedule

# What a kernel may call of the libraries: operations that order, and calls that only move or address.
OPERATIONS = {
    "dl.notify": "notify",
    "dl.wait": "wait",
    "dl.consume_token": "consume_token",
    "libshmem_device.barrier_all_vec": "barrier",
    "libshmem_device.fence": "fence",
    "libshmem_device.quiet": "quiet",
    "libshmem_device.putmem_signal_nbi_block": "signal",
    "tl.debug_barrier": "debug_barrier",
}
MOVES = {"dl.symm_at", "libshmem_device.putmem", "libshmem_device.putmem_nbi_block"}
PLAIN_PUT = "libshmem_device.putmem_nbi_block"


@dataclass(frozen=True, slots=True)
class Removal:
    """A kernel text without one operation: which, and its line in the kernel that has it."""

    operation: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the simulator said: whether the kernel is at fault, by which kinds of findings, and after how many
    interleavings; `error` where it can't run."""

    reported: bool
    kinds: tuple[str, ...]
    interleavings: int
    error: str | None = None


def removals(kernel: str) -> list[Removal]:
    """The kernel without each of its operations in turn, by line.

    A statement goes; a wait becomes a plain integer for a token; `consume_token(p, t)` becomes `p`; a put with signal
    becomes a plain one. ValueError for a
    call of a library that is neither in OPERATIONS nor in MOVES, so that no operation escapes unseen.
    """
    tree = ast.parse(kernel)
    found = []
    for number, node in enumerate(ast.walk(tree)):
        name = _called(node)
        if name in OPERATIONS:
            edited = copy.deepcopy(tree)
            target = next(n for at, n in enumerate(ast.walk(edited)) if at == number)
            text = ast.unparse(ast.fix_missing_locations(_Without(target).visit(edited)))
            found.append(Removal(OPERATIONS[name], node.lineno, text))  # type: ignore[attr-defined]
        elif name.split(".")[0] in ("dl", "libshmem_device") and name not in MOVES:
            raise ValueError(f"{name} is neither an operation that orders nor one that moves")
    return sorted(found, key=lambda removal: removal.line)


def search(program: Program, schedule: Schedule, kernel: str, *, most: int, whole: bool = False) -> Verdict:
    """Run a kernel in the simulator's own small shapes, interleaving by interleaving, until something is reported.

    At most `most` interleavings, and all of them with `whole`, in one go as `simulate` does.
    """
    setups = small_setups(schedule)
    edited = replace(program, kernel=kernel)
    step = most if whole else 1
    for seed in range(0, most, step):
        outcome = simulation.search(edited, setups, interleavings=step, seed=seed)
        if outcome.error is not None or not outcome.verified:
            kinds = dict.fromkeys(f.kind for f in outcome.findings)
            return Verdict(True, tuple(kinds), seed + step, outcome.error)
    return Verdict(False, (), most)


class _Without(ast.NodeTransformer):
    """Takes one call out of a tree."""

    def __init__(self, target: ast.AST) -> None:
        self._target = target

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if node.value is not self._target:
            return self._inside(node)
        return ast.Expr(self.visit(node.value)) if OPERATIONS[_called(node.value)] == "signal" else ast.Pass()

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if node is not self._target:
            return self._inside(node)
        match OPERATIONS[_called(node)]:
            case "consume_token":
                return node.args[0]
            case "signal":
                target, source, nbytes, *_, peer = node.args
                return ast.Call(ast.parse(PLAIN_PUT, mode="eval").body, [target, source, nbytes, peer], [])
            case _:
                return ast.Constant(0)

    def _inside(self, node: ast.AST) -> ast.AST:
        return self.generic_visit(node)


def _called(node: ast.AST) -> str:
    """The dotted name of what a node calls; empty where it is no call of a name."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
