"""Which kernels of the stand-in are linked with NVSHMEM, and what is said where it is not to be had. Triton, torch and
the library are stand-ins themselves: no GPU is needed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from a2agen.runtime.standin import peers

PUTS = """
def put_kernel(A, n):
    libshmem_device.quiet()
"""
COPIES = """
def copy_kernel(A, n):
    dl.notify(A, n, comm_scope="intra_node")
"""


class Constant:
    def __init__(self, value: Any) -> None:
        self.value = value


class Compiled:
    """A kernel that was compiled; it writes down what is done with it."""

    module = "the module"

    def __init__(self, log: list[Any]) -> None:
        self._log = log

    def _init_handles(self) -> None:
        self._log.append("loaded")

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        return lambda *arguments: self._log.append(("launched", grid, len(arguments)))


class Jit:
    """As Triton's, of a function that is never run."""

    log: list[Any] = []  # noqa: RUF012 - one for all kernels of a test

    def __init__(self, function: Callable[..., Any]) -> None:
        self.fn = function
        self.arg_names = list(function.__code__.co_varnames[: function.__code__.co_argcount])

    def warmup(self, *_arguments: Any, grid: tuple[int, ...], **options: Any) -> Compiled:
        self.log.append(("compiled", grid, options))
        return Compiled(self.log)


def modules(search: Callable[[], str] | None) -> dict[str, ModuleType | None]:
    """Triton as far as the stand-in imports it, and torch with bindings that `search` for the library; without any
    where that is None."""
    made = {name: ModuleType(name) for name in ("triton", "triton.language")}
    made["triton"].__dict__.update(jit=lambda function, **_: Jit(function), language=made["triton.language"])
    core = SimpleNamespace(extern=lambda function: function)
    made["triton.language"].__dict__.update(constexpr=Constant, core=core, int64="int64")
    names = (
        "torch",
        "torch.distributed",
        "torch.distributed._symmetric_memory",
        "torch._C",
        "torch._C._distributed_c10d",
    )
    found: dict[str, ModuleType | None] = {**made}
    if search is None:
        return found | dict.fromkeys(names)
    found |= {name: ModuleType(name) for name in names}
    bindings = SimpleNamespace(NvshmemLibFinder=SimpleNamespace(find_device_library=search))
    found[names[2]].__dict__["_nvshmem_triton"] = bindings
    found[names[4]].__dict__["_nvshmemx_cumodule_init"] = lambda module: Jit.log.append(("initialised", module))
    return found


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Any, Any]]]:
    """Imports the stand-in's modules for NVSHMEM and for kernels anew, in an environment of its own."""
    names = ("nvshmem", "kernel")
    Jit.log.clear()
    peers.register(4096, SimpleNamespace(device="cuda:0"))

    def load(memory: str, search: Callable[[], str] | None = lambda: "/lib/nvshmem.bc") -> tuple[Any, Any]:
        monkeypatch.setenv("TORCH_SYMMMEM", memory)
        for name, module in modules(search).items():
            monkeypatch.setitem(sys.modules, name, module)
        for name in names:
            monkeypatch.delitem(sys.modules, f"a2agen.runtime.standin.{name}", raising=False)
        package = importlib.import_module("a2agen.runtime.standin")
        for name in names:
            monkeypatch.delattr(package, name, raising=False)
        return tuple(importlib.import_module(f"a2agen.runtime.standin.{name}") for name in names)  # type: ignore[return-value]

    yield load
    peers.forget(4096)
    for name in names:
        sys.modules.pop(f"a2agen.runtime.standin.{name}", None)


def launched(kernels: Any, text: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a launch of a kernel with a text came to."""
    path = tmp_path / "kernel_text.py"
    path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "kernel_text", raising=False)
    importlib.invalidate_caches()
    (function,) = (f for f in vars(importlib.import_module("kernel_text")).values() if callable(f))
    tensor = SimpleNamespace(data_ptr=lambda: 4096)
    kernels.Kernel(function, {})[(4,)](tensor, 7)
    return Jit.log


def test_a_kernel_with_puts_is_linked_and_told_its_heap(standin, tmp_path, monkeypatch):
    _, kernels = standin("NVSHMEM")
    assert launched(kernels, PUTS, tmp_path, monkeypatch) == [
        ("compiled", (4,), {"extern_libs": {"libnvshmem_device": "/lib/nvshmem.bc"}}),
        "loaded",
        ("initialised", "the module"),
        ("launched", (4, 1, 1), 3),
    ]


@pytest.mark.parametrize(("memory", "text"), [("NVSHMEM", COPIES), ("CUDA", PUTS), ("", PUTS)])
def test_other_kernels_are_not(standin, tmp_path, monkeypatch, memory, text):
    _, kernels = standin(memory)
    assert launched(kernels, text, tmp_path, monkeypatch) == [
        ("compiled", (4,), {}),
        "loaded",
        ("launched", (4, 1, 1), 3),
    ]


def test_a_notify_beyond_the_node_is_nvshmems(standin):
    nvshmem, _ = standin("nvshmem")
    assert nvshmem.wanted_by('dl.notify(word, to, signal=1, comm_scope="inter_node")')
    assert not nvshmem.wanted_by(COPIES)
    off, _ = standin("CUDA")
    assert not off.wanted_by('dl.notify(word, to, signal=1, comm_scope="inter_node")')


def missing() -> str:
    raise RuntimeError("not found in /usr/lib")


def test_a_library_that_is_missing_is_named_with_a_way_out(standin):
    nvshmem, _ = standin("NVSHMEM", missing)
    with pytest.raises(nvshmem.NvshmemError, match=r"not found in /usr/lib\): install nvidia-nvshmem-cu13, or leave"):
        nvshmem.libraries()


def test_a_torch_without_nvshmem_is_named(standin):
    nvshmem, _ = standin("NVSHMEM", None)
    with pytest.raises(nvshmem.NvshmemError, match="puts need NVSHMEM's device library"):
        nvshmem.libraries()
    with pytest.raises(nvshmem.NvshmemError, match="this torch has no NVSHMEM"):
        nvshmem.initialise("module")


def test_a_table_of_peers_ends_with_a_word_to_spare():
    assert peers.layout(1, [4096, 8192, 16384]) == [1, 3, -4096, 0, 8192, 0]
