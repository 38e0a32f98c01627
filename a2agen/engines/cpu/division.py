"""Remainder and quotient of a kernel's integers, which are C's: a quotient is cut towards zero, so that a remainder has
the sign of the dividend."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from a2agen.engines.cpu.machine import Machine
from a2agen.engines.cpu.scalars import carried, truncated

_NAMES: dict[type[ast.operator], str] = {ast.Mod: "__remainder__", ast.FloorDiv: "__quotient__"}


def division(machine: Machine) -> dict[str, Callable[[Any, Any], Any]]:
    """What stands in a kernel for `%` and `//`, by the names that `Divisions` gives them. Zero divides as in Python."""
    place = machine.sites.of

    def remainder(a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int and a >= 0 and b > 0:
            return a % b
        if not (isinstance(a, int) and isinstance(b, int)):
            # Blocks divide so themselves.
            return a % b
        site = place(sys._getframe(1))

        def cut(a: int, b: int) -> int:
            found = a - b * truncated(a, b)
            if found < 0:
                machine.core.negative = site
            return found

        return carried(cut, a, b)

    def quotient(a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int and a >= 0 and b > 0:
            return a // b
        return carried(truncated, a, b) if isinstance(a, int) and isinstance(b, int) else a // b

    return {"__remainder__": remainder, "__quotient__": quotient}


class Divisions(ast.NodeTransformer):
    """Makes calls of `%` and `//` in a function's body. Those of constants alone stay: Triton leaves them to Python."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self._constants, self._others = _names(function)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        constant = self._constant(node)
        self.generic_visit(node)
        name = _NAMES.get(type(node.op))
        return node if name is None or constant else _call(name, node.left, node.right, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        name = _NAMES.get(type(node.op))
        if name is None or not isinstance(node.target, ast.Name):
            return node
        now = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        return ast.copy_location(ast.Assign([node.target], _call(name, now, node.value, node)), node)

    def _constant(self, node: ast.expr) -> bool:
        """Whether Triton knows the value when it compiles."""
        if isinstance(node, ast.Name):
            return node.id in self._constants or node.id not in self._others
        if isinstance(node, ast.BinOp):
            return self._constant(node.left) and self._constant(node.right)
        if isinstance(node, ast.UnaryOp):
            return self._constant(node.operand)
        return isinstance(node, ast.Constant)


def _call(name: str, a: ast.expr, b: ast.expr, at: ast.AST) -> ast.Call:
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name(name, ast.Load()), at), [a, b], []), at)


def _names(function: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """The names that hold constants all through a function, and its others; those of the file are neither."""
    constants: set[str] = set()
    others: set[str] = set()
    arguments = function.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        (constants if _of_constant(argument.annotation) else others).add(argument.arg)
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign | ast.For) and _stays_constant(node):
            constants.add(ast.unparse(node.target))
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For):
            # What is assigned becomes a value of the device, be it a constant.
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            others |= {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return constants - others, others


def _of_constant(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation).rpartition(".")[2] == "constexpr"


def _stays_constant(node: ast.AnnAssign | ast.For) -> bool:
    """Whether the statement gives its name a constant."""
    if isinstance(node, ast.AnnAssign):
        return _of_constant(node.annotation)
    return isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func).rpartition(".")[2] == "static_range"
