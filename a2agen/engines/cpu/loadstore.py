"""Loads and stores of blocks and scalars: `tl.load` and `tl.store`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from a2agen.engines.cpu.blocks import Affine, Array, Block, Box, Mask, Values, bits_of
from a2agen.engines.cpu.dtypes import DType
from a2agen.engines.cpu.errors import UnsupportedError
from a2agen.engines.cpu.machine import Core, Machine
from a2agen.engines.cpu.memory import Pointer, Region, region

# Chance that a store arrives at once; otherwise it does at the core's next fence.
AT_ONCE = 0.5


class LoadStore:
    """Moves elements between memory and blocks, whole regions at a time where offsets are affine and the mask a box."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def load(self, pointer: Pointer, mask: Any, other: Any, site: int) -> Any:
        """The elements at a pointer; where the mask is false `other`, or undefined without one."""
        machine = self._machine
        core = machine.begin()
        _check_pointer(pointer, "tl.load")
        if core.stores:
            self._arrive(core, pointer)
        if pointer.listed is not None or not _is_box(mask):
            return self._load_listed(core, pointer, mask, other, site)
        element = pointer.element
        shape = pointer.shape
        box, start, extent = _boxed(pointer, mask)
        if 0 in extent:
            return _absent(element, shape, other)
        part = region(extent, pointer.strides, element.itemsize)
        memory = machine.bytes_of(pointer.span, pointer.rank, start + part.low, start + part.high, site, "load")
        if memory is None:
            return _absent(element, shape, None)
        self._read(core, pointer, part, start, site)
        data: Array = np.ndarray(extent, element.bits, memory, start, part.strides).copy()
        if not shape:
            return _scalar(data, element)
        return Values(element, shape, data, box, other)

    def store(self, pointer: Pointer, value: Any, mask: Any, site: int) -> None:
        """Store where the mask is true; others see it at once or by the core's next fence."""
        machine = self._machine
        core = machine.begin()
        _check_pointer(pointer, "tl.store")
        if pointer.listed is not None or not _is_box(mask):
            self._store_listed(core, pointer, value, mask, site)
            return
        element = pointer.element
        box, start, extent = _boxed(pointer, mask)
        if 0 in extent:
            return
        part = region(extent, pointer.strides, element.itemsize)
        memory = machine.bytes_of(pointer.span, pointer.rank, start + part.low, start + part.high, site, "store")
        if memory is None:
            return
        target: Array = np.ndarray(extent, element.bits, memory, start, part.strides)
        data = _bits_in_box(value, element, pointer.shape, box)
        self._write(core, pointer, part, start, site)

        def complete() -> None:
            target[...] = data

        self._send(core, pointer, complete)

    # -- index arrays, for what is not affine

    def _load_listed(self, core: Core, pointer: Pointer, mask: Any, other: Any, site: int) -> Any:
        element = pointer.element
        starts, chosen = _listed(pointer, mask)
        data = np.full(starts.shape, bits_of(other, element), element.bits)
        chosen &= self._inside(pointer, starts, chosen, site, "load")
        if chosen.any():
            wanted = starts[chosen]
            for start in np.unique(wanted).tolist():
                self._read(core, pointer, region((), (), element.itemsize), start, site)
            data[chosen] = _gather(pointer, wanted)
        return _scalar(data, element) if not starts.shape else Values(element, starts.shape, data)

    def _store_listed(self, core: Core, pointer: Pointer, value: Any, mask: Any, site: int) -> None:
        element = pointer.element
        starts, chosen = _listed(pointer, mask)
        data = np.broadcast_to(_bits_in_box(value, element, starts.shape, None), starts.shape)
        chosen &= self._inside(pointer, starts, chosen, site, "store")
        if not chosen.any():
            return
        wanted, data = starts[chosen], data[chosen]
        for start in np.unique(wanted).tolist():
            self._write(core, pointer, region((), (), element.itemsize), start, site)

        def complete() -> None:
            _scatter(pointer, wanted, data)

        self._send(core, pointer, complete)

    def _inside(self, pointer: Pointer, starts: Array, chosen: Array, site: int, what: str) -> Array:
        """Which elements lie in the pointer's span; reports one that does not."""
        span, size = pointer.span, pointer.element.itemsize
        inside: Array = (starts >= span.low) & (starts + size <= span.high)
        outside = starts[chosen & ~inside]
        if outside.size or span.allocation.memory[pointer.rank] is None:
            low = int(outside[0]) if outside.size else span.low
            self._machine.bytes_of(span, pointer.rank, low, low + size, site, what)
            if span.allocation.memory[pointer.rank] is None:
                return np.zeros_like(inside)
        return inside

    # -- order of accesses

    def _read(self, core: Core, pointer: Pointer, part: Region, start: int, site: int) -> None:
        if self._machine.order:
            thread = core.load_store(site, pointer.tokens)
            self._machine.order.read(pointer.span, pointer.rank, part, start, thread)

    def _write(self, core: Core, pointer: Pointer, part: Region, start: int, site: int) -> None:
        if self._machine.order:
            thread = core.load_store(site, pointer.tokens)
            self._machine.order.write(pointer.span, pointer.rank, part, start, thread)

    def _send(self, core: Core, pointer: Pointer, complete: Callable[[], None]) -> None:
        """Let a store arrive now, or leave it on its way."""
        allocation, rank = pointer.span.allocation, pointer.rank
        if core.stores and any(a is allocation for a, _ in core.stores):
            at_once = False
        else:
            at_once = self._machine.scheduler.draw() < AT_ONCE
        if at_once:
            complete()
            if allocation.waiters:
                self._machine.wake(allocation, rank)
            return

        def arrive() -> None:
            complete()
            if allocation.waiters:
                self._machine.wake(allocation, rank)

        core.stores.append((allocation, arrive))

    def _arrive(self, core: Core, pointer: Pointer) -> None:
        """A core sees its own stores."""
        if any(a is pointer.span.allocation for a, _ in core.stores):
            self._machine.drain(core)


def _check_pointer(pointer: Any, where: str) -> None:
    if type(pointer) is not Pointer:
        raise UnsupportedError(f"{where} on {type(pointer).__name__}, which is no pointer")


def _is_box(mask: Any) -> bool:
    return mask is None or type(mask) is Mask or isinstance(mask, bool)


def _boxed(pointer: Pointer, mask: Any) -> tuple[Box | None, int, tuple[int, ...]]:
    """The box of an access (None: all of it), its first byte and its extents."""
    shape, start = pointer.shape, pointer.base
    if mask is None or mask is True:
        return None, start, shape
    if mask is False:
        return None, start, (0,)
    box = mask.stretched(shape) if len(mask.shape) == len(shape) else None
    if box is None:
        raise UnsupportedError(f"a mask of shape {mask.shape} for pointers of shape {shape}")
    size = pointer.element.itemsize
    for (low, _), stride in zip(box, pointer.strides, strict=True):
        if low:
            start += low * stride * size
    return box, start, tuple([high - low if high > low else 0 for low, high in box])


def _absent(element: DType, shape: tuple[int, ...], other: Any) -> Any:
    """A block of which no element was loaded."""
    data = np.full(shape, bits_of(other, element), element.bits)
    return _scalar(data, element) if not shape else Values(element, shape, data)


def _scalar(data: Array, element: DType) -> Any:
    if element.integer:
        return int(data.view(element.real)[()])
    return Values(element, (), data)


def _bits_in_box(value: Any, element: DType, shape: tuple[int, ...], box: Box | None) -> Any:
    """What is stored in the box: an array of bits, or one element's bits for all."""
    if type(value) is Values and value.dtype is element and value.shape == shape:
        if value.box == box:
            return value.data
        data = value.bits()
        return data if box is None else data[tuple(slice(low, high) for low, high in box)]
    if isinstance(value, Block):
        if isinstance(value, Mask | Affine):
            value = Values.of(value.dense())
        if value.dtype is not element:
            value = value.to(element)
        data = np.broadcast_to(value.bits(), shape)
        return data if box is None else data[tuple(slice(low, high) for low, high in box)]
    if isinstance(value, bool | int | float):
        return bits_of(value, element)
    raise UnsupportedError(f"tl.store of {type(value).__name__}")


def _listed(pointer: Pointer, mask: Any) -> tuple[Array, Array]:
    """The byte offsets of all elements, and which of them the mask chooses."""
    starts: Array = np.asarray(pointer.base + pointer.offsets() * pointer.element.itemsize)
    dense = mask.dense() if isinstance(mask, Block) else True if mask is None else bool(mask)
    return starts, np.broadcast_to(dense, starts.shape).copy()


def _typed(pointer: Pointer, starts: Array) -> tuple[Array, Array]:
    """Memory as elements and the indices of byte offsets in it."""
    memory = pointer.span.allocation.memory[pointer.rank]
    assert memory is not None
    size = pointer.element.itemsize
    phase = pointer.base % size
    whole = memory[phase : phase + (memory.size - phase) // size * size]
    return whole.view(pointer.element.bits), (starts - phase) // size


def _gather(pointer: Pointer, starts: Array) -> Array:
    elements, indices = _typed(pointer, starts)
    return elements[indices]


def _scatter(pointer: Pointer, starts: Array, data: Array) -> None:
    elements, indices = _typed(pointer, starts)
    elements[indices] = data
