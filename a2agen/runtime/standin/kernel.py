"""The stand-in for `triton_dist.jit`: stock Triton's, with the table of peers as one more argument."""

from __future__ import annotations

import inspect
import linecache
import threading
from collections.abc import Callable
from typing import Any

import triton

from a2agen.runtime.standin import nvshmem
from a2agen.runtime.standin.peers import table_of
from a2agen.runtime.standin.rewrite import with_peers

Launch = Callable[..., None]


before_first_launch: list[Callable[[], None]] = []
"""Called between the loading of a kernel and its first launch. Loading can wait for what runs on the device, so ranks
that share one must have loaded before any of them launches what waits for the others."""

_loading = threading.Lock()


class Kernel:
    """A kernel that is launched as `kernel[grid](…)`; Triton compiles it at the first launch of each kind.

    A launch with the same arguments as an earlier one, addresses of equal alignment apart, goes straight to the
    compiled kernel: Triton's own way there costs tens of microseconds of the host.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.fn = triton.jit(_extended(function), **options)
        self._puts = nvshmem.wanted_by("".join(inspect.getsourcelines(function)[0]))
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self._compiled: dict[tuple[Any, ...], Any] = {}

    def __getitem__(self, grid: tuple[int, ...]) -> Launch:
        def launch(*arguments: Any, **options: Any) -> None:
            self._launch(grid, arguments, options)

        return launch

    def _launch(self, grid: tuple[int, ...], arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        table = table_of(arguments)
        kind = (
            table.device,
            *options.items(),
            *[a.data_ptr() % 16 == 0 if hasattr(a, "data_ptr") else a for a in arguments],
        )
        found = self._compiled.get(kind)
        if found is None:
            with _loading:
                found = self._compiled[kind] = self._load(grid, table, arguments, options)
            for hook in before_first_launch:
                hook()
        compiled, constants = found
        compiled[(*grid, 1, 1)](table, *arguments, *constants)

    def _load(
        self, grid: tuple[int, ...], table: Any, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Any, tuple[Any, ...]]:
        """The kernel for such arguments on the device, and the constants that follow them at each launch."""
        linked = {"extern_libs": nvshmem.libraries()} if self._puts else {}
        compiled = self.fn.warmup(table, *arguments, grid=grid, **options, **linked)
        compiled._init_handles()
        if self._puts:
            nvshmem.initialise(compiled.module)
        constants = {name: value for name, value in options.items() if name in self.fn.arg_names}
        bound = inspect.signature(self.fn.fn).bind(table, *arguments, **constants)
        bound.apply_defaults()
        return compiled, tuple(bound.arguments.values())[1 + len(arguments) :]


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """As `triton_dist.jit`, a decorator with or without options."""
    if function is None:
        return lambda later: Kernel(later, options)
    return Kernel(function, options)


def _extended(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the table of peers as its first parameter. Its text is kept for Triton, which reads it."""
    lines, first = inspect.getsourcelines(function)
    text = "\n" * (first - 1) + with_peers("".join(lines), function.__globals__)
    path = f"{function.__code__.co_filename} with peers"
    names = function.__globals__
    own: dict[str, Any] = {}
    exec(compile(text, path, "exec", dont_inherit=True), names, own)
    extended: Callable[..., Any] = own[function.__name__]
    known = linecache.cache.get(path)
    before = "".join(known[2]).split("\n") if known is not None and len(known) == 4 else []
    after = text.split("\n")
    # Several kernels of one file share its lines: each lies where it did.
    merged = [a or b for a, b in zip(_padded(before, after), _padded(after, before), strict=True)]
    linecache.cache[path] = (0, None, [f"{line}\n" for line in merged], path)
    extended.__module__ = function.__module__
    return extended


def _padded(lines: list[str], other: list[str]) -> list[str]:
    return [*lines, *[""] * (len(other) - len(lines))]
