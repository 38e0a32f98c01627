"""The side streams of a rank's host, and the copies that it issues on them."""

from __future__ import annotations

import sys
from typing import Any

from a2agen.engines.cpu.errors import KernelError
from a2agen.engines.cpu.host import Event, Host, Stream
from a2agen.engines.cpu.tensors import Tensor, Tensors
from a2agen.runtime import SideStreams


class HostCopies(SideStreams):
    """Streams beside the rank's own one. What they copy is an access of the stream, ordered by forks and joins alone.

    Raises KernelError for more streams of a rank than there are ranks.
    """

    def __init__(self, host: Host, tensors: Tensors, count: int) -> None:
        self._host = host
        self._tensors = tensors
        self._streams = [host.side_stream() for _ in range(count)]

    def fork(self) -> None:
        forked = Event()
        self._host.record(forked, self._host.stream)
        for stream in self._streams:
            self._host.wait_for(forked, stream)

    def copy(self, number: int, target: Any, source: Any) -> None:
        into, out_of = self._tensors.take(target), self._tensors.take(source)
        if into is None or out_of is None:
            raise KernelError("a copy of what is no tensor")
        if (into.shape, into.dtype) != (out_of.shape, out_of.dtype):
            raise KernelError(
                f"a copy from {out_of.dtype} {out_of.shape} to {into.dtype} {into.shape}: shapes and types must agree"
            )
        stream, line = self._streams[number], sys._getframe(1).f_lineno
        self._host.enqueue(lambda: self._run(stream, into, out_of, f"copy at line {line} of the launcher"), stream)

    def join(self) -> None:
        for stream in self._streams:
            done = Event()
            self._host.record(done, stream)
            self._host.wait_for(done, self._host.stream)

    def _run(self, stream: Stream, target: Tensor, source: Tensor, name: str) -> None:
        """Read the source, and write it some time later."""
        machine = self._host.machine
        site = machine.sites.named(name)
        for tensor in (source, target):
            span = tensor.span()
            what = "copy's read" if tensor is source else "copy's write"
            if machine.bytes_of(span, tensor.rank, span.low, span.high, site, what) is None:
                return
        machine.operations += 1
        if machine.order:
            access = stream.thread.at(site)
            machine.order.read(source.span(), source.rank, source.region(), source.offset, access)
            machine.order.write(target.span(), target.rank, target.region(), target.offset, access)
            stream.advance()
        taken = source.elements(bits=True).copy()
        machine.scheduler.pause()
        if target.allocation.memory[target.rank] is None:
            return
        target.elements(bits=True)[...] = taken
        if target.allocation.waiters:
            machine.wake(target.allocation, target.rank)
