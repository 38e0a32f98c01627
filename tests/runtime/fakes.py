"""Stand-ins for torch and for the ranks of a job, with as much of them as launchers use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from types import ModuleType
from typing import Any

from a2agen.runtime import Communicator, SideStreams

# Bytes of an element by torch's name of its type.
SIZES = {
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "uint64": 8,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
}


@dataclass(eq=False)
class Tensor:
    """A tensor without data; `log` takes what was done to it."""

    shape: tuple[int, ...]
    dtype: str
    device: str = "npu:0"
    address: int = 0
    strides: tuple[int, ...] | None = None
    log: list[Any] = field(default_factory=list)
    name: str = ""

    def numel(self) -> int:
        return prod(self.shape)

    def element_size(self) -> int:
        return SIZES[self.dtype.removeprefix("torch.")]

    def view(self, shape: tuple[int, ...]) -> Tensor:
        assert prod(shape) == self.numel()
        return Tensor(tuple(shape), self.dtype, self.device, self.address, None, self.log, self.name)

    def unflatten(self, axis: int, sizes: tuple[int, ...]) -> Tensor:
        assert prod(sizes) == self.shape[axis]
        inner = [prod(sizes[n + 1 :]) * self.stride(axis) for n in range(len(sizes))]
        strides = (*self.stride()[:axis], *inner, *self.stride()[axis + 1 :])
        return self._part((*self.shape[:axis], *sizes, *self.shape[axis + 1 :]), strides)

    def __getitem__(self, key: Any) -> Tensor:
        """The tensor without the axes that have an index, at the address of its first element."""
        keys = key if isinstance(key, tuple) else (key,)
        taken = {axis: at for axis, at in enumerate(keys) if isinstance(at, int)}
        assert all(0 <= at < self.shape[axis] for axis, at in taken.items())
        kept = [axis for axis in range(len(self.shape)) if axis not in taken]
        step = sum(at * self.stride(axis) for axis, at in taken.items()) * self.element_size()
        strides = tuple(self.stride(axis) for axis in kept)
        return self._part(tuple(self.shape[axis] for axis in kept), strides, step)

    def _part(self, shape: tuple[int, ...], strides: tuple[int, ...], step: int = 0) -> Tensor:
        return Tensor(shape, self.dtype, self.device, self.address + step, strides, self.log, self.name)

    def zero_(self) -> Tensor:
        self.log.append(("zero", self.address))
        return self

    def data_ptr(self) -> int:
        return self.address

    def stride(self, axis: int | None = None) -> Any:
        dense = tuple(prod(self.shape[n + 1 :]) for n in range(len(self.shape)))
        strides = self.strides or dense
        return strides if axis is None else strides[axis]

    def is_contiguous(self) -> bool:
        return self.strides is None


class Ranks(Communicator):
    """One rank of several, that writes down what a launcher asks of it."""

    def __init__(self, size: int = 3, rank: int = 1) -> None:
        self._size, self._rank = size, rank
        self.log: list[Any] = []
        self.allocated: list[tuple[str, Tensor]] = []
        self.freed: list[Tensor] = []
        self._free = 1_000_000

    @property
    def rank(self) -> int:
        return self._rank

    @property
    def size(self) -> int:
        return self._size

    @property
    def device(self) -> str:
        return "npu:0"

    def symmetric(self, elements: int, dtype: str) -> Tensor:
        return self._allocate("symmetric", elements, dtype)

    def local(self, elements: int, dtype: str) -> Tensor:
        return self._allocate("local", elements, dtype)

    def _allocate(self, kind: str, elements: int, dtype: str) -> Tensor:
        tensor = Tensor((elements,), dtype, address=self._free, log=self.log)
        self._free += tensor.numel() * tensor.element_size()
        self.allocated.append((kind, tensor))
        return tensor

    def free(self, tensor: Tensor) -> None:
        self.freed.append(tensor)

    def peer(self, tensor: Tensor, rank: int) -> Tensor:
        return Tensor(tensor.shape, tensor.dtype, tensor.device, tensor.address, None, self.log, f"at rank {rank}")

    def side_streams(self, count: int) -> SideStreams:
        return Side(count, self.log)

    def synchronize(self) -> None:
        self.log.append("synchronize")

    def barrier(self) -> None:
        self.log.append("barrier")


class Side(SideStreams):
    """Side streams that write down what is asked of them."""

    def __init__(self, count: int, log: list[Any]) -> None:
        self._count, self._log = count, log

    def fork(self) -> None:
        self._log.append("fork")

    def copy(self, number: int, target: Tensor, source: Tensor) -> None:
        assert 0 <= number < self._count
        assert target.shape == source.shape
        self._log.append(("copy", number, target, source))

    def join(self) -> None:
        self._log.append("join")


class Torch(ModuleType):
    """Types as their names."""

    def __init__(self) -> None:
        super().__init__("torch")
        for name in SIZES:
            setattr(self, name, f"torch.{name}")
        self.compiler = ModuleType("torch.compiler")
        self.compiler.is_compiling = lambda: False  # type: ignore[attr-defined]


class Kernel:
    """A kernel that writes down its grid and arguments."""

    def __init__(self, log: list[Any]) -> None:
        self.log = log

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        return lambda *arguments, **options: self.log.append(("launch", grid, arguments, options))


@contextmanager
def launcher(text: str, entries: list[str], log: list[Any]) -> Iterator[Any]:
    """The class `Exchange` of a launcher's text, on a torch that is not there, with kernels that write to `log`."""
    kernel = ModuleType("fake_exchange.kernel")
    for entry in entries:
        setattr(kernel, entry, Kernel(log))
    modules = {"torch": Torch(), "fake_exchange": ModuleType("fake_exchange"), "fake_exchange.kernel": kernel}
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        namespace = {"__name__": "fake_exchange.launcher", "__package__": "fake_exchange"}
        exec(compile(text, "launcher.py", "exec"), namespace)
        yield namespace["Exchange"]
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
