"""Communicators of the stand-in for Triton-Distributed: GPUs of one node, each of which reaches the others' memory.

A rank is a process of a torch process group, with torch's symmetric memory; or a thread of one process, several to a
GPU if need be, which is slow and there to try out more ranks than there are GPUs.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist

from a2agen.runtime.communicator import Communicator, SideStreams
from a2agen.runtime.copies import NvidiaSideStreams
from a2agen.runtime.heap import Places
from a2agen.runtime.standin import peers

HEAP_BYTES = 4 << 30
"""The symmetric heap of a rank where A2AGEN_HEAP_BYTES does not say otherwise; fits every GPU with NVLink."""
BARRIER_SECONDS = 300.0


def heap_bytes() -> int:
    """The size of a rank's symmetric heap, by the environment. Raises ValueError where that is no number."""
    text = os.environ.get("A2AGEN_HEAP_BYTES", str(HEAP_BYTES))
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"A2AGEN_HEAP_BYTES must be a number of bytes, found {text!r}")
    return int(text)


class HeapCommunicator(Communicator):
    """A rank with a heap that all others see: `own` is its bytes, `bases` the addresses of all ranks' as seen here."""

    def __init__(self, rank: int, own: Any, bases: Sequence[int]) -> None:
        self._rank, self._size = rank, len(bases)
        self._own = own
        self._places = Places(own.numel())
        self._starts: dict[int, int] = {}
        self._table = torch.tensor(peers.layout(rank, bases), dtype=torch.int64, device=own.device)

    @property
    def rank(self) -> int:
        return self._rank

    @property
    def size(self) -> int:
        return self._size

    @property
    def device(self) -> Any:
        return self._own.device

    def symmetric(self, elements: int, dtype: Any) -> Any:
        start = self._places.take(elements * dtype.itemsize)
        tensor = self._own[start : start + elements * dtype.itemsize].view(dtype)
        self._starts[tensor.data_ptr()] = start
        peers.register(tensor.data_ptr(), self._table)
        return tensor

    def local(self, elements: int, dtype: Any) -> Any:
        return torch.empty(elements, dtype=dtype, device=self.device)

    def free(self, tensor: Any) -> None:
        start = self._starts.pop(tensor.data_ptr(), None)
        if start is not None:
            peers.forget(tensor.data_ptr())
            self._places.give(start)

    def peer(self, tensor: Any, rank: int) -> Any:
        if tensor.data_ptr() not in self._starts:
            raise ValueError("no tensor in symmetric memory: other ranks do not have it")
        if rank == self._rank:
            return tensor
        start = self._starts[tensor.data_ptr()]
        size = tensor.numel() * tensor.element_size()
        return self._heap_of(rank)[start : start + size].view(tensor.dtype).view(tensor.shape)

    def _heap_of(self, rank: int) -> Any:
        """The bytes of another rank's heap, as a tensor whose address this process can use."""
        raise NotImplementedError

    def side_streams(self, count: int) -> SideStreams:
        return NvidiaSideStreams(self.device, count)

    def synchronize(self) -> None:
        torch.cuda.current_stream(self.device).synchronize()


class ProcessRank(HeapCommunicator):
    """A rank that is a process, with torch's symmetric memory over a process group of one node."""

    _known: dict[str, ProcessRank] = {}  # noqa: RUF012 - one heap for each group of the process

    def __init__(self, group: Any) -> None:
        import torch.distributed._symmetric_memory as symmetric  # noqa: PLC0415 - where CUDA is

        device = torch.device("cuda", torch.cuda.current_device())
        self._group = group
        heap = symmetric.empty(heap_bytes(), dtype=torch.uint8, device=device)
        self._handle = symmetric.rendezvous(heap, group)
        super().__init__(self._handle.rank, heap, list(self._handle.buffer_ptrs))

    @classmethod
    def of(cls, group: Any) -> ProcessRank:
        """The communicator of a group; its heap is made once. Collective the first time."""
        name = group.group_name
        if name not in cls._known:
            cls._known[name] = cls(group)
        return cls._known[name]

    def _heap_of(self, rank: int) -> Any:
        return self._handle.get_buffer(rank, (self._own.numel(),), torch.uint8)

    def barrier(self) -> None:
        dist.barrier(group=self._group)
        self.synchronize()


class ThreadRank(HeapCommunicator):
    """A rank that is a thread of one process; it must make its device and stream the current ones itself."""

    def __init__(self, rank: int, heaps: Sequence[Any], meeting: threading.Barrier) -> None:
        self._heaps = heaps
        self._meeting = meeting
        super().__init__(rank, heaps[rank], [heap.data_ptr() for heap in heaps])

    def _heap_of(self, rank: int) -> Any:
        return self._heaps[rank]

    def barrier(self) -> None:
        self._meeting.wait(BARRIER_SECONDS)

    def abandon(self) -> None:
        """Let the other ranks fail at their next barrier: this one does not come any more."""
        self._meeting.abort()


def thread_ranks(size: int, devices: Sequence[Any], nbytes: int) -> list[ThreadRank]:
    """`size` ranks of one process, on the devices in turn, with heaps of `nbytes` bytes.

    Raises ValueError where one GPU does not reach another's memory.
    """
    for one in devices:
        for other in devices:
            if one != other and not torch.cuda.can_device_access_peer(one, other):
                raise ValueError(f"{one} does not reach the memory of {other}")
    heaps = [torch.zeros(nbytes, dtype=torch.uint8, device=devices[n % len(devices)]) for n in range(size)]
    for heap in heaps:
        for device in devices:
            # The first copy between two GPUs lets them reach each other, kernels included.
            heap[:16].to(device)
    for device in devices:
        if device.type == "cuda":
            torch.cuda.synchronize(device)
    meeting = threading.Barrier(size)
    return [ThreadRank(rank, heaps, meeting) for rank in range(size)]
