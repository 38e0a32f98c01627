"""Loads a kernel and a launcher as they are, with stand-ins for what they import, and leaves nothing behind."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, ModuleType, TracebackType
from typing import Any

from a2agen.engines.cpu import launched, subset
from a2agen.engines.cpu.distributed import distributed, shmem
from a2agen.engines.cpu.division import Divisions, division
from a2agen.engines.cpu.dtypes import TORCH_NAMES
from a2agen.engines.cpu.errors import Halt, KernelError, UnsupportedError, check_options
from a2agen.engines.cpu.host import Host
from a2agen.engines.cpu.language import Namespace, cast, cdiv, language, numbers
from a2agen.engines.cpu.machine import Machine
from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.signals import Signals
from a2agen.engines.cpu.tensors import Tensor, Tensors
from a2agen.engines.cpu.turns import Turns

# What sources may import as it is; everything else has a stand-in or is outside the subset.
REAL_MODULES = ("__future__", "a2agen", "a2agen.runtime", "collections.abc", "math", "typing")
JIT_OPTIONS = ("do_not_specialize", "do_not_specialize_on_alignment", "debug", "noinline", "version", "repr")
LAUNCH_OPTIONS = ("num_warps", "num_stages", "num_ctas", "launch_cooperative_grid", "maxnreg")


class Jit:
    """What `triton.jit` makes of a function: `kernel[grid](…)` launches, a call from a kernel is a call."""

    def __init__(self, function: Callable[..., Any], program: Program, tensors: Tensors, turns: Turns) -> None:
        self.fn = function
        self._program = program
        self._tensors = tensors
        self._turns = turns
        self.signature = inspect.signature(function)
        self.__name__ = function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._turns.call()
        return self.fn(*args, **kwargs)

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def start(*args: Any, **kwargs: Any) -> None:
            given = {name: value for name, value in kwargs.items() if name not in LAUNCH_OPTIONS}
            bound = self._bind(args, given)
            extents = grid(bound.arguments) if callable(grid) else grid
            if isinstance(extents, int):
                extents = (extents,)
            if any(n != 1 for n in extents[1:]):
                raise UnsupportedError(f"a launch over a grid of {extents}: programs are numbered along the first axis")
            host, values = _arguments(bound.arguments, self._tensors)
            host.launch(lambda: self.fn(**values), extents[0])

        return start

    def _bind(self, args: tuple[Any, ...], given: dict[str, Any]) -> inspect.BoundArguments:
        """What a launcher gives as arguments. Raises KernelError where the kernel takes others."""
        bound, refused = None, None
        try:
            bound = self.signature.bind(*args, **given)
        except TypeError as error:
            refused = str(error)
        unlike = launched.unlike(self._program, self.__name__, refused)
        if unlike is not None:
            raise unlike
        assert bound is not None
        bound.apply_defaults()
        return bound


def _arguments(arguments: dict[str, Any], tensors: Tensors) -> tuple[Host, dict[str, Any]]:
    """The arguments as a kernel sees them: pointers for tensors. The tensors say whose launch it is."""
    host = None
    values = {}
    for name, value in arguments.items():
        tensor = tensors.take(value)
        if tensor is None:
            values[name] = value
            continue
        if host is not None and host is not tensor.host:
            raise ValueError(f"{name} is a tensor of rank {tensor.host.rank} in a launch of rank {host.rank}")
        host = tensor.host
        tensor.allocation.name = name
        values[name] = tensor.pointer(name)
    if host is None:
        raise UnsupportedError("a launch without a tensor argument")
    return host, values


def _jit(program: Program, tensors: Tensors, turns: Turns) -> Callable[..., Any]:
    """`triton.jit`, with or without options; they do not change what a kernel means."""

    def jit(function: Any = None, **options: Any) -> Any:
        check_options("triton.jit", options, JIT_OPTIONS)
        if function is None:
            return lambda later: Jit(later, program, tensors, turns)
        return Jit(function, program, tensors, turns)

    return jit


class _Adapted(ast.NodeTransformer):
    """Scalars are Python integers here, which have no `.to` and divide downwards: calls of functions stand for that.
    Loops get a bound."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        divisions = Divisions(node)
        node.body = [divisions.visit(self.visit(statement)) for statement in node.body]
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            name = ast.copy_location(ast.Name("__cast__", ast.Load()), node.func)
            return ast.copy_location(ast.Call(name, [node.func.value, *node.args], node.keywords), node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        name = ast.copy_location(ast.Name("__turns__", ast.Load()), node.iter)
        node.iter = ast.copy_location(ast.Call(name, [node.iter], []), node.iter)
        return node


@lru_cache(maxsize=64)
def compiled(text: str, path: str, kernel: bool) -> CodeType:
    """A source as code. Raises KernelError where it is no Python, or a kernel outside the subset."""
    try:
        tree = ast.parse(text, path)
        if kernel:
            subset.check(tree, path)
            tree = _Adapted().visit(tree)
        return compile(tree, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise KernelError(error.msg, path, error.lineno) from None
    except ValueError as error:
        raise KernelError(str(error), path) from None


def load(program: Program, machine: Machine, kernel: CodeType, launcher: CodeType, tensors: Tensors) -> Any:
    """Execute both sources for a machine; the launcher's class `Exchange`, or that of its operator by the program's
    link. Raises KernelError where one fails."""
    signals = Signals(machine)
    tl = language(machine, signals)
    turns = Turns(machine)
    jit = _jit(program, tensors, turns)
    triton = Namespace("triton", "triton", jit=jit, language=tl, cdiv=cdiv)
    dl = distributed(machine, signals)
    device = shmem(machine, signals)
    extra = Namespace("triton_dist.language.extra", "triton_dist.language.extra", libshmem_device=device)
    dl.__dict__["extra"] = extra
    stand_ins = {
        "triton": triton,
        "triton.language": tl,
        "triton_dist": Namespace("triton_dist", "triton_dist", jit=jit, language=dl),
        "triton_dist.language": dl,
        "triton_dist.language.extra": extra,
        "triton_dist.language.extra.libshmem_device": device,
        "torch": tensors.module() or _torch(),
    }
    with located(program):
        names = {"__cast__": cast, "__turns__": turns.of, "range": numbers, **division(machine)}
        kernel_module = _execute(kernel, "generated.kernel", _importer(stand_ins, program, None), names)
        hook = _importer(stand_ins, program, kernel_module)
        launcher_module = _execute(launcher, "generated.launcher", hook, {})
        exchange = launcher_module.__dict__.get("Exchange")
    if exchange is None:
        raise KernelError("there is no class Exchange", program.launcher_path)
    if program.link is None:
        return exchange
    by_link = getattr(exchange, "links", {}).get(program.link)
    if by_link is None:
        raise KernelError(f"class Exchange has no operator by link {program.link}", program.launcher_path)
    return by_link


def _torch() -> Namespace:
    """What launchers use of torch; nothing compiles them here."""
    compiler = Namespace("torch.compiler", "torch.compiler", is_compiling=lambda: False)
    return Namespace("torch", "torch", Tensor=Tensor, dtype=object, compiler=compiler, **TORCH_NAMES)


def _execute(code: CodeType, name: str, hook: Callable[..., Any], names: dict[str, Any]) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(names)
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": hook}
    exec(code, module.__dict__)
    return module


def _importer(stand_ins: dict[str, Any], program: Program, kernel: ModuleType | None) -> Callable[..., Any]:
    """What imports for a source, with the kernel beside it where it is a launcher."""

    def hook(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # noqa: A002
        if level:
            if kernel is not None and name == "kernel":
                missing = [item for item in fromlist or () if item not in vars(kernel)]
                if missing:
                    defined = (found for found, value in vars(kernel).items() if type(value) is Jit)
                    raise launched.no_kernel(program, missing, defined)
                return kernel
            if kernel is not None and not name and tuple(fromlist or ()) == ("kernel",):
                return Namespace("generated", "generated", kernel=kernel)
            raise ImportError(f"there is no sibling module {name or ', '.join(fromlist)}")
        if name in stand_ins:
            return stand_ins[name if fromlist else name.partition(".")[0]]
        if name in REAL_MODULES:
            importlib.import_module(name)
            return __import__(name, globals, locals, fromlist, 0)
        raise UnsupportedError(f"import of {name}")

    return hook


def line_in(trace: TracebackType | None, *paths: str) -> int | None:
    """The deepest line of a traceback that lies in one of the sources."""
    return next((line for path, line in reversed(_lines(trace)) if path in paths), None)


def _lines(trace: TracebackType | None) -> list[tuple[str, int]]:
    found = []
    while trace is not None:
        found.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return found


class located:  # noqa: N801 - used as a statement
    """Turns what goes wrong inside into a KernelError with the deepest line of the program's sources."""

    def __init__(self, program: Program) -> None:
        self._paths = (program.kernel_path, program.launcher_path)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        if not isinstance(error, Exception) or isinstance(error, Halt):
            return
        inside = [place for place in _lines(trace) if place[0] in self._paths]
        path, line = inside[-1] if inside else (None, None)
        if isinstance(error, KernelError):
            if error.path is None:
                raise KernelError(error.reason, path, line) from None
            return
        if isinstance(error, UnsupportedError):
            raise KernelError(f"the cpu engine does not support {error}", path, line) from error
        raise KernelError(f"{type(error).__name__}: {error}", path, line) from error
