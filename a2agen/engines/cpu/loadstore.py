"""Loads and stores of blocks and scalars: `tl.load` and `tl.store`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from a2agen.engines.cpu import layouts
from a2agen.engines.cpu.affine import Affine, Mask, keep
from a2agen.engines.cpu.blocks import Array, Block, Box, Shape, Values, bits_of
from a2agen.engines.cpu.dtypes import DType
from a2agen.engines.cpu.errors import UnsupportedError, check_options
from a2agen.engines.cpu.machine import Core, Machine
from a2agen.engines.cpu.memory import Pointer, Region, region
from a2agen.engines.cpu.scalars import Behind

# Chance that a store arrives at once; otherwise it does at the core's next fence.
AT_ONCE = 0.5


class LoadStore:
    """Moves elements between memory and blocks, whole regions at a time where offsets are affine and the mask a box.

    Its methods are what kernels call, so that the calling frame is the kernel's.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._begin = machine.begin
        self._place = machine.sites.of
        self._many = machine.model.program_is_many_threads
        self._loads = Core.load_store if machine.model.loads_need_fence else Core.completed_load

    def load(self, pointer: Pointer, mask: Any = None, other: Any = None, **options: Any) -> Any:
        """`tl.load`: the elements at a pointer; where the mask is false `other`, or undefined without one."""
        site = self._place(sys._getframe(1))
        if options:
            check_options("tl.load", options, ("cache_modifier", "eviction_policy", "volatile", "care_padding"))
        core = self._begin()
        if type(pointer) is not Pointer:
            raise UnsupportedError(f"tl.load on {type(pointer).__name__}, which is no pointer")
        if pointer.tokens:
            for token in pointer.tokens:
                token.use()
        span, rank, element, shape = pointer.span, pointer.rank, pointer.element, pointer.shape
        if core.stores and any(a is span.allocation for a, _ in core.stores):
            # A core sees its own stores.
            self._machine.drain(core)
        part, start, box = self._part(pointer, mask)
        if part is None:
            return self._load_listed(core, pointer, mask, other, site)
        if 0 in part.shape:
            return _absent(element, shape, other)
        low, high = start + part.low, start + part.high
        memory = span.allocation.memory[rank]
        if memory is None or low < span.low or high > span.high:
            self._machine.out_of_bounds(span, rank, low, high, site, "load")
            return _absent(element, shape, None)
        order = self._machine.order
        if order is not None:
            thread = self._loads(core, site, pointer.tokens)
            if self._many:
                thread.layout = layouts.of_block(pointer, box, writes=False)
            order.read(span, rank, part, start, thread)
        data: Array = np.ndarray(part.shape, element.bits, memory, start, part.strides).copy()
        return Values(element, shape, data, box, other) if shape else _scalar(data, element)

    def store(self, pointer: Pointer, value: Any, mask: Any = None, **options: Any) -> None:
        """`tl.store` where the mask is true; others see it at once or by the core's next fence."""
        site = self._place(sys._getframe(1))
        if options:
            check_options("tl.store", options, ("cache_modifier", "eviction_policy"))
        core = self._begin()
        if type(pointer) is not Pointer:
            raise UnsupportedError(f"tl.store on {type(pointer).__name__}, which is no pointer")
        tokens = pointer.tokens
        if type(value) is Behind:
            tokens = (*tokens, *value.tokens)
        if tokens:
            for token in tokens:
                token.use()
        span, rank, element = pointer.span, pointer.rank, pointer.element
        part, start, box = self._part(pointer, mask)
        if part is None:
            self._store_listed(core, pointer, value, mask, site)
            return
        if 0 in part.shape:
            return
        low, high = start + part.low, start + part.high
        memory = span.allocation.memory[rank]
        if memory is None or low < span.low or high > span.high:
            self._machine.out_of_bounds(span, rank, low, high, site, "store")
            return
        target: Array = np.ndarray(part.shape, element.bits, memory, start, part.strides)
        data = _bits_in_box(value, element, pointer.shape, box)
        order = self._machine.order
        if order is not None:
            thread = core.load_store(site, tokens)
            if self._many:
                thread.layout = layouts.of_block(pointer, box, writes=True)
            order.write(span, rank, part, start, thread)

        def complete() -> None:
            target[...] = data

        self._send(core, pointer, complete)

    def _part(self, pointer: Pointer, mask: Any) -> tuple[Region | None, int, Box | None]:
        """The region of an access, its first byte and its box in the block (None: all); no region for what is
        accessed element by element."""
        shape, strides, start = pointer.shape, pointer.strides, pointer.base
        if pointer.listed is not None:
            return None, start, None
        size = pointer.element.itemsize
        if type(mask) is Mask:
            key = (mask.shape, mask.box, shape)
            found = _extents.get(key)
            if found is None:
                found = keep(_extents, key, _extent(mask, shape))
            box, extent, moved = found
            if moved:
                for (low, _), stride in zip(box, strides, strict=True):
                    start += low * stride * size
            return region(extent, strides, size), start, box
        if mask is None or mask is True:
            return region(shape, strides, size), start, None
        if mask is False:
            return region((0,), (1,), size), start, None
        return None, start, None

    # -- index arrays, for what is not affine

    def _load_listed(self, core: Core, pointer: Pointer, mask: Any, other: Any, site: int) -> Any:
        element = pointer.element
        starts, chosen = _listed(pointer, mask)
        data = np.full(starts.shape, bits_of(other, element), element.bits)
        chosen &= self._inside(pointer, starts, chosen, site, "load")
        if chosen.any():
            wanted = starts[chosen]
            for start, layout in self._layouts(pointer, starts, chosen, writes=False):
                if self._machine.order:
                    thread = self._loads(core, site, pointer.tokens)
                    thread.layout = layout
                    part = region((), (), element.itemsize)
                    self._machine.order.read(pointer.span, pointer.rank, part, start, thread)
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
        for start, layout in self._layouts(pointer, starts, chosen, writes=True):
            if self._machine.order:
                thread = core.load_store(site, pointer.tokens)
                thread.layout = layout
                part = region((), (), element.itemsize)
                self._machine.order.write(pointer.span, pointer.rank, part, start, thread)

        def complete() -> None:
            _scatter(pointer, wanted, data)

        self._send(core, pointer, complete)

    def _layouts(
        self, pointer: Pointer, starts: Array, chosen: Array, writes: bool
    ) -> list[tuple[int, layouts.Layout]]:
        """The byte offsets of an access element by element, each once and in order, with their layouts."""
        wanted = starts[chosen].tolist()
        if not self._many:
            return [(start, None) for start in sorted(set(wanted))]
        return layouts.of_elements(pointer, wanted, np.flatnonzero(chosen).tolist(), writes)

    def _inside(self, pointer: Pointer, starts: Array, chosen: Array, site: int, what: str) -> Array:
        """Which elements lie in the pointer's span; reports one that does not."""
        span, size = pointer.span, pointer.element.itemsize
        inside: Array = (starts >= span.low) & (starts + size <= span.high)
        outside = starts[chosen & ~inside]
        if outside.size or span.allocation.memory[pointer.rank] is None:
            low = int(outside[0]) if outside.size else span.low
            self._machine.out_of_bounds(span, pointer.rank, low, low + size, site, what)
            if span.allocation.memory[pointer.rank] is None:
                return np.zeros_like(inside)
        return inside

    # -- order of accesses

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


_extents: dict[tuple[Shape, Box, Shape], tuple[Box, Shape, bool]] = {}


def _extent(mask: Mask, shape: Shape) -> tuple[Box, Shape, bool]:
    """A mask's box in a block, its extents, and whether it starts off the block's first element."""
    if len(mask.shape) != len(shape):
        raise UnsupportedError(f"a mask of shape {mask.shape} for pointers of shape {shape}")
    box = mask.stretched(shape)
    return box, tuple(max(high - low, 0) for low, high in box), any(low for low, _ in box)


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
