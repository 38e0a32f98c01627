"""The subset of Python that kernels are written in, so that what a device's compiler would refuse is refused here.

docs/hand-tuned.md describes it. What calls mean, and their options, is up to the stand-ins.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from a2agen.engines.cpu.errors import KernelError

LOOPS = ("range", "tl.range", "tl.static_range")
# Builtins that Triton gives kernels too, and annotations.
KNOWN_BUILTINS = frozenset(("range", "min", "max", "abs", "len", "int", "float", "bool", "AssertionError"))

_TOP = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign, ast.AnnAssign)
_INSIDE = (
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.If, ast.Return, ast.Assert, ast.Expr, ast.Pass),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.keyword),
    *(ast.Attribute, ast.Subscript, ast.Slice, ast.Name, ast.Constant, ast.Tuple, ast.List),
    *(ast.JoinedStr, ast.FormattedValue),
    *(ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.arguments, ast.arg),
)
_WORDS = {
    ast.AsyncFunctionDef: "async",
    ast.AsyncFor: "async",
    ast.AsyncWith: "async",
    ast.Await: "await",
    ast.ClassDef: "class",
    ast.Delete: "del",
    ast.Dict: "a dict",
    ast.DictComp: "a comprehension",
    ast.FunctionDef: "a function inside a function",
    ast.GeneratorExp: "a comprehension",
    ast.Import: "import inside a function",
    ast.ImportFrom: "import inside a function",
    ast.ListComp: "a comprehension",
    ast.NamedExpr: "the operator :=",
    ast.Set: "a set",
    ast.SetComp: "a comprehension",
    ast.Starred: "the operator * in front of an argument",
    ast.YieldFrom: "yield",
}


def check(tree: ast.Module, path: str) -> None:
    """Raises KernelError with the line and the construct for the first that a kernel must not have."""
    for node, what in _outside(tree):
        raise KernelError(f"the cpu engine does not support {what}", path, getattr(node, "lineno", None))


def _outside(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    bound = _bound(tree)
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if not isinstance(statement, _TOP):
            yield statement, f"{_named(statement)} outside a function"
        elif isinstance(statement, ast.FunctionDef):
            if not any(_of_jit(decorator) for decorator in statement.decorator_list):
                yield statement, f"the function {statement.name} without @triton.jit"
            yield from _inside(statement, bound)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            yield from _inside(statement, bound)


def _inside(top: ast.stmt, bound: set[str]) -> Iterator[tuple[ast.AST, str]]:
    """What is outside the subset in a function or a value of the file."""
    body = [*top.body, top.args] if isinstance(top, ast.FunctionDef) else [top]
    for node in (inner for outer in body for inner in _walk(outer)):
        if not isinstance(node, _INSIDE):
            yield node, _named(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield node, "the operator @"
        elif isinstance(node, ast.For):
            if not (isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) in LOOPS):
                yield node, f"a loop over anything but {', '.join(LOOPS)}"
            elif node.orelse:
                yield node.orelse[0], "else of a loop"
        elif isinstance(node, ast.Name) and node.id not in bound and hasattr(builtins, node.id):
            if node.id not in KNOWN_BUILTINS:
                yield node, node.id
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield node, f"an assignment to {ast.unparse(node)}, which is no name"


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all in it, as they stand in the text."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _walk(child)


def _bound(tree: ast.Module) -> set[str]:
    """The names that the file gives itself."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {name.asname or name.name.partition(".")[0] for name in node.names}
    return found


def _of_jit(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2] == "jit"


def _named(node: ast.AST) -> str:
    """A construct by its word in the language, or the name of its node."""
    return _WORDS.get(type(node)) or type(node).__name__.lower()
