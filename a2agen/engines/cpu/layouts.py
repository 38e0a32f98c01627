"""Which thread of a program has which element of a block, as far as it can be told: on a GPU, where programs are many.

A compiler deals a block out to threads by its shape and by where its elements lie. So two accesses of one program are
taken to have the same thread at each byte only where their layouts are equal; what a mask leaves out changes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable

from a2agen.engines.cpu.affine import keep
from a2agen.engines.cpu.blocks import Box, Shape
from a2agen.engines.cpu.memory import Pointer

Layout = Hashable


def of_block(pointer: Pointer, box: Box | None, writes: bool) -> Layout:
    """The layout of an access through affine pointers, whose mask leaves `box` (None: all)."""
    shape, size = pointer.shape, pointer.element.itemsize
    if not shape:
        return of_number(pointer.base, size, writes)
    strides, apart = _moves(shape, pointer.strides)
    if apart:
        return pointer.base, size, shape, strides
    if box is not None and _moves(tuple([high - low for low, high in box]), strides)[1]:
        # Another mask may leave another element at the same byte.
        return pointer.base, size, shape, strides, box
    return shared((pointer.base, size, shape, strides, box), writes)


def of_elements(pointer: Pointer, starts: list[int], indices: list[int], writes: bool) -> list[tuple[int, Layout]]:
    """The bytes at which elements of a block start, each once and in order, with the layouts there; `indices` are the
    places of the elements in the block, flattened."""
    shape, size = pointer.shape, pointer.element.itemsize
    if not shape:
        return [(start, of_number(start, size, writes)) for start in starts]
    if pointer.listed is None and _moves(shape, pointer.strides)[1]:
        whole = of_block(pointer, None, writes)
        return [(start, whole) for start in sorted(starts)]
    by_start: dict[int, list[int]] = {}
    for start, index in zip(starts, indices, strict=True):
        by_start.setdefault(start, []).append(index)
    return [
        (start, shared((start, size), writes) if len(at) > 1 else (start, size, shape, at[0], "listed"))
        for start, at in sorted(by_start.items())
    ]


def of_number(start: int, size: int, writes: bool) -> Layout:
    """The layout of a single number: all threads load it, one stores it."""
    return start, size, writes


def is_number(layout: Layout) -> bool:
    """Whether a layout is one of a single number."""
    return type(layout) is tuple and len(layout) == 3


def shared(what: Hashable, writes: bool) -> Layout:
    """The layout of an access in which several threads may be at one byte: equal among loads of the same, and to no
    store."""
    return object() if writes else ("shared", what)


_found: dict[tuple[Shape, Shape], tuple[Shape, bool]] = {}


def _moves(shape: Shape, strides: Shape) -> tuple[Shape, bool]:
    """The strides, 0 where an axis has one element, and whether no two elements lie at one place for certain."""
    key = (shape, strides)
    found = _found.get(key)
    if found is None:
        plain = tuple([s if n > 1 else 0 for n, s in zip(shape, strides, strict=True)])
        reach, apart = 0, True
        for stride, n in sorted((abs(s), n) for n, s in zip(shape, plain, strict=True) if n > 1):
            apart = apart and stride > reach
            reach += (n - 1) * stride
        found = keep(_found, key, (plain, apart))
    return found
