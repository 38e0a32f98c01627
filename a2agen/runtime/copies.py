"""Copies that the host issues on CUDA streams beside the current one."""

from __future__ import annotations

from typing import Any

import torch

from a2agen.runtime import driver
from a2agen.runtime.communicator import SideStreams
from a2agen.runtime.planes import planes

REMEMBERED = 256


class NvidiaSideStreams(SideStreams):
    """CUDA streams and events, made once; 2-D copies of the driver, which it leaves to the copy engine.

    torch's own `copy_` runs a kernel where a side has gaps, so it is not used. A copy of one plane to a peer on a
    forked stream was measured on two H200: 390 GB/s each way. What a copy of the same tensors needs is kept.
    """

    def __init__(self, device: Any, count: int) -> None:
        self._index = device.index
        self._streams = [torch.cuda.Stream(device) for _ in range(count)]
        self._numbers = [stream.cuda_stream for stream in self._streams]
        self._forked = driver.event()
        self._done = [driver.event() for _ in range(count)]
        self._known: dict[object, tuple[driver.Plane, ...]] = {}

    def _current(self) -> int:
        return int(torch._C._cuda_getCurrentRawStream(self._index))

    def fork(self) -> None:
        driver.record(self._forked, self._current())
        for stream in self._numbers:
            driver.follow(stream, self._forked)

    def copy(self, number: int, target: Any, source: Any) -> None:
        key = target.data_ptr(), source.data_ptr(), target.shape, target.stride(), source.stride(), target.dtype
        found = self._known.get(key)
        if found is None:
            if len(self._known) == REMEMBERED:
                self._known.clear()
            found = self._known[key] = _planes(target, source)
        for what in found:
            driver.copy(what, self._numbers[number])

    def join(self) -> None:
        current = self._current()
        for stream, done in zip(self._numbers, self._done, strict=True):
            driver.record(done, stream)
            driver.follow(current, done)


def _planes(target: Any, source: Any) -> tuple[driver.Plane, ...]:
    """The copies of planes that a copy between two tensors of one shape is; none for one of nothing."""
    found = planes(tuple(target.shape), target.stride(), source.stride(), target.element_size())
    if found is None:
        return ()
    into, out_of = target.data_ptr(), source.data_ptr()
    return tuple(
        driver.plane(into + there, out_of + here, found.width, found.height, found.pitches)
        for there, here in found.starts
    )
