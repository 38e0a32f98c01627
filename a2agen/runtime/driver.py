"""The few calls of the CUDA driver that copies and words on streams need, by ctypes: a call costs a microsecond.

Streams and events are handles as numbers. Raises RuntimeError with the driver's name of an error; OSError where there
is no driver. The context of the device must be current, as torch makes it.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

UNIFIED = 4
"""CU_MEMORYTYPE_UNIFIED: the driver finds out by the address where memory lies."""
WAIT, WRITE = 4, 5
"""CU_STREAM_MEM_OP_WAIT_VALUE_64 and CU_STREAM_MEM_OP_WRITE_VALUE_64."""
EQUAL = 1
"""CU_STREAM_WAIT_VALUE_EQ."""
NO_TIMING = 2
"""CU_EVENT_DISABLE_TIMING."""


class Plane(ctypes.Structure):
    """CUDA_MEMCPY2D of cuda.h: `height` rows of `width` bytes, pitches in bytes."""

    _fields_ = (
        ("source_x", ctypes.c_size_t),
        ("source_y", ctypes.c_size_t),
        ("source_type", ctypes.c_uint),
        ("source_host", ctypes.c_void_p),
        ("source", ctypes.c_uint64),
        ("source_array", ctypes.c_void_p),
        ("source_pitch", ctypes.c_size_t),
        ("target_x", ctypes.c_size_t),
        ("target_y", ctypes.c_size_t),
        ("target_type", ctypes.c_uint),
        ("target_host", ctypes.c_void_p),
        ("target", ctypes.c_uint64),
        ("target_array", ctypes.c_void_p),
        ("target_pitch", ctypes.c_size_t),
        ("width", ctypes.c_size_t),
        ("height", ctypes.c_size_t),
    )


class WordOp(ctypes.Structure):
    """CUstreamBatchMemOpParams of cuda.h, for a wait or a write of 64 bits."""

    _fields_ = (
        ("operation", ctypes.c_uint),
        ("address", ctypes.c_uint64),
        ("value", ctypes.c_uint64),
        ("flags", ctypes.c_uint),
        ("alias", ctypes.c_uint64),
        ("rest", ctypes.c_uint64),
    )


def plane(target: int, source: int, width: int, height: int, pitches: tuple[int, int]) -> Plane:
    """A copy of rows to `target` from `source`, addresses of either side; pitches of target and source."""
    return Plane(
        source_type=UNIFIED,
        source=source,
        source_pitch=pitches[1],
        target_type=UNIFIED,
        target=target,
        target_pitch=pitches[0],
        width=width,
        height=height,
    )


def write(address: int, value: int) -> WordOp:
    """Store a word when all before it on the stream is visible to every device. Without that barrier no batch takes a
    write: the driver then says CUDA_ERROR_INVALID_VALUE."""
    return WordOp(operation=WRITE, address=address, value=value)


def wait(address: int, value: int) -> WordOp:
    """Let the stream go on when a word of the stream's own device has this value."""
    return WordOp(operation=WAIT, address=address, value=value, flags=EQUAL)


class WordOps:
    """Several waits and writes that a stream does in their order."""

    def __init__(self, *ops: WordOp) -> None:
        self._count = len(ops)
        self._ops = (WordOp * len(ops))(*ops)

    def on(self, stream: int) -> None:
        _call("cuStreamBatchMemOp_v2", _handle(stream), self._count, self._ops, 0)


def copy(what: Plane, stream: int) -> None:
    """Queue a copy on a stream; it goes to a copy engine where that reaches both sides."""
    _call("cuMemcpy2DAsync_v2", ctypes.byref(what), _handle(stream))


def event() -> int:
    """A new event; it lives as long as the process."""
    found = ctypes.c_void_p()
    _call("cuEventCreate", ctypes.byref(found), NO_TIMING)
    return found.value or 0


def record(number: int, stream: int) -> None:
    """Mark where a stream is."""
    _call("cuEventRecord", _handle(number), _handle(stream))


def follow(stream: int, number: int) -> None:
    """Let a stream go on after what an event marks."""
    _call("cuStreamWaitEvent", _handle(stream), _handle(number), 0)


def _handle(number: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(number)


def _call(name: str, *arguments: Any) -> None:
    error = _function(name)(*arguments)
    if error:
        text = ctypes.c_char_p()
        _function("cuGetErrorName")(error, ctypes.byref(text))
        raise RuntimeError(f"{name} failed: {text.value.decode() if text.value else error}")


@cache
def _function(name: str) -> Any:
    return getattr(_library(), name)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")
