"""Tensors of a rank, with the part of torch's interface that launchers use."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from a2agen.engines.cpu.blocks import Array
from a2agen.engines.cpu.dtypes import DType
from a2agen.engines.cpu.errors import UnsupportedError
from a2agen.engines.cpu.memory import Allocation, Pointer, Region, Span, region

if TYPE_CHECKING:
    from a2agen.engines.cpu.host import Host

Shape = tuple[int, ...]


class Tensor:
    """A strided view of an allocation at `rank`, by default that of `host`. `offset` is in bytes, strides in elements.

    What changes contents is queued on the host's stream, as on a device.
    """

    __slots__ = ("_strides", "allocation", "dtype", "host", "offset", "rank", "shape")

    def __init__(
        self,
        host: Host,
        allocation: Allocation,
        dtype: DType,
        shape: Shape,
        strides: Shape | None = None,
        offset: int = 0,
        rank: int | None = None,
    ) -> None:
        self.host = host
        self.allocation = allocation
        self.dtype = dtype
        self.shape = shape
        self._strides = dense_strides(shape) if strides is None else strides
        self.offset = offset
        self.rank = host.rank if rank is None else rank

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnsupportedError(f"torch.Tensor.{name}")

    @property
    def device(self) -> Any:
        return self.host.device

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def dim(self) -> int:
        return len(self.shape)

    def size(self, axis: int | None = None) -> Any:
        return self.shape if axis is None else self.shape[axis]

    def stride(self, axis: int | None = None) -> Any:
        return self._strides if axis is None else self._strides[axis]

    def numel(self) -> int:
        return prod(self.shape)

    def element_size(self) -> int:
        return self.dtype.itemsize

    def data_ptr(self) -> int:
        memory = self.allocation.memory[self.rank]
        if memory is None:
            raise UnsupportedError("data_ptr() of a tensor that was freed")
        return int(memory.ctypes.data) + self.offset

    def is_contiguous(self) -> bool:
        wanted = dense_strides(self.shape)
        return all(n == 1 or s == w for n, s, w in zip(self.shape, self._strides, wanted, strict=True))

    def view(self, *shape: Any) -> Tensor:
        """Another shape of a dense tensor, one extent may be -1; or another type of the same size."""
        if len(shape) == 1 and isinstance(shape[0], DType):
            if shape[0].itemsize != self.dtype.itemsize:
                raise UnsupportedError("torch.Tensor.view to a type of another size")
            return self._other(self.shape, self._strides, self.offset, shape[0])
        wanted = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else tuple(shape)
        if not self.is_contiguous():
            raise UnsupportedError("torch.Tensor.view of a tensor with gaps")
        if wanted.count(-1) == 1:
            rest = prod(n for n in wanted if n != -1)
            wanted = tuple(self.numel() // rest if n == -1 else n for n in wanted)
        if prod(wanted) != self.numel():
            raise RuntimeError(f"shape {wanted} is invalid for a tensor of {self.numel()} elements")
        return self._other(wanted, None, self.offset)

    reshape = view

    def flatten(self) -> Tensor:
        return self.view(self.numel())

    def unflatten(self, axis: int, sizes: Shape) -> Tensor:
        """One axis as several, outer first."""
        if prod(sizes) != self.shape[axis]:
            raise RuntimeError(f"sizes {sizes} do not multiply to {self.shape[axis]}, the extent of axis {axis}")
        strides = tuple(s * self._strides[axis] for s in dense_strides(sizes))
        return self._other(
            (*self.shape[:axis], *sizes, *self.shape[axis + 1 :]),
            (*self._strides[:axis], *strides, *self._strides[axis + 1 :]),
            self.offset,
        )

    def permute(self, *axes: int) -> Tensor:
        """The axes in another order."""
        if sorted(axes) != list(range(self.ndim)):
            raise RuntimeError(f"{axes} is no order of {self.ndim} axes")
        return self._other(tuple(self.shape[a] for a in axes), tuple(self._strides[a] for a in axes), self.offset)

    def __getitem__(self, key: Any) -> Tensor:
        keys = key if isinstance(key, tuple) else (key,)
        if Ellipsis in keys:
            place = keys.index(Ellipsis)
            keys = (*keys[:place], *[slice(None)] * (self.ndim - len(keys) + 1), *keys[place + 1 :])
        shape, strides, offset = [], [], self.offset
        for axis, n in enumerate(self.shape):
            stride = self._strides[axis]
            at = keys[axis] if axis < len(keys) else slice(None)
            if isinstance(at, slice):
                first, end, step = at.indices(n)
                offset += first * stride * self.dtype.itemsize
                shape.append(max(0, -(-(end - first) // step)))
                strides.append(stride * step)
            elif isinstance(at, int) and -n <= at < n:
                offset += (at % n) * stride * self.dtype.itemsize
            else:
                raise IndexError(f"index {at!r} in an axis of extent {n}")
        return self._other(tuple(shape), tuple(strides), offset)

    # -- operations on the stream

    def zero_(self) -> Tensor:
        return self.fill_(0)

    def fill_(self, value: Any) -> Tensor:
        def fill(elements: Array) -> None:
            elements[...] = value

        self.host.on_stream(self, fill, reads=False, writes=True, name="fill")
        return self

    def add_(self, value: int) -> Tensor:
        def add(elements: Array) -> None:
            elements += value

        self.host.on_stream(self, add, reads=True, writes=True, name="add_")
        return self

    # -- for the engine

    def at(self, rank: int) -> Tensor:
        """The same view at another rank."""
        return Tensor(self.host, self.allocation, self.dtype, self.shape, self._strides, self.offset, rank)

    def _other(self, shape: Shape, strides: Shape | None, offset: int, dtype: DType | None = None) -> Tensor:
        """Another view of the allocation."""
        return Tensor(self.host, self.allocation, dtype or self.dtype, shape, strides, offset, self.rank)

    def region(self) -> Region:
        """The bytes of the tensor, from `offset` on."""
        return region(self.shape, self._strides, self.dtype.itemsize)

    def span(self) -> Span:
        return self._span(self.allocation.name)

    def _span(self, name: str) -> Span:
        part = self.region()
        axes = self.host.machine.axes.get(name)
        low, high = (part.low, part.high) if self.numel() else (0, 0)
        return Span(self.allocation, self.offset + low, self.offset + high, name, self.dtype, axes)

    def pointer(self, name: str) -> Pointer:
        """The address of the first element, for a kernel that calls it `name`."""
        return Pointer(self._span(name), self.dtype, self.rank, self.offset)

    def elements(self, bits: bool = False) -> Array:
        """The tensor's memory itself."""
        dtype = self.dtype.bits if bits else self.dtype.real
        out: Array = np.ndarray(
            self.shape,
            dtype,
            self.allocation.memory[self.rank],
            self.offset,
            self.region().strides,
        )
        return out


class Tensors:
    """What launchers get and give for tensors: the engine's own. A subclass hands out another library's."""

    def module(self) -> Any | None:
        """What `import torch` gives, None for the stand-in."""
        return None

    def give(self, tensor: Tensor) -> Any:
        """A tensor as launchers see it."""
        return tensor

    def take(self, value: Any) -> Tensor | None:
        """The engine's view of a launcher's tensor, None for what is no tensor."""
        return value if isinstance(value, Tensor) else None

    def dtype(self, value: Any) -> DType:
        """The element type that a launcher names."""
        if not isinstance(value, DType):
            raise UnsupportedError(f"{value!r} for a dtype")
        return value

    def device(self, own: Any) -> Any:
        """A rank's device as launchers see it, `own` being the engine's."""
        return own


Change = Callable[[Array], None]


def dense_strides(shape: Shape) -> Shape:
    """Row-major strides in elements."""
    strides = []
    step = 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))
