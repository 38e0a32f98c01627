"""What a simulated rank's launcher gets for its group."""

from __future__ import annotations

from typing import Any

from a2agen.engines.cpu.copies import HostCopies
from a2agen.engines.cpu.host import Host
from a2agen.engines.cpu.tensors import Tensor, Tensors
from a2agen.runtime import Communicator, SideStreams


class RankCommunicator(Communicator):
    """The `group` that a simulated rank's launcher gets."""

    def __init__(self, host: Host, tensors: Tensors) -> None:
        self.host = host
        self._tensors = tensors

    @property
    def rank(self) -> int:
        return self.host.rank

    @property
    def size(self) -> int:
        return self.host.machine.ranks

    @property
    def device(self) -> Any:
        return self._tensors.device(self.host.device)

    def symmetric(self, elements: int, dtype: Any) -> Any:
        dtype = self._tensors.dtype(dtype)
        host = self.host
        known = host.meeting.symmetric
        nbytes = elements * dtype.itemsize
        if host.symmetric_count == len(known):
            known.append(host.machine.allocate(nbytes, None))
        allocation = known[host.symmetric_count]
        host.symmetric_count += 1
        if allocation.nbytes != nbytes:
            raise ValueError(
                f"rank {self.rank} allocates {nbytes} symmetric bytes where others took {allocation.nbytes}"
            )
        return self._tensors.give(Tensor(host, allocation, dtype, (elements,)))

    def local(self, elements: int, dtype: Any) -> Any:
        dtype = self._tensors.dtype(dtype)
        allocation = self.host.machine.allocate(elements * dtype.itemsize, self.rank)
        return self._tensors.give(Tensor(self.host, allocation, dtype, (elements,)))

    def free(self, tensor: Any) -> None:
        taken = self._tensors.take(tensor)
        if taken is None:
            raise ValueError(f"{type(tensor).__name__} is no tensor of this communicator")
        taken.allocation.free(self.rank)

    def peer(self, tensor: Any, rank: int) -> Any:
        own = self._tensors.take(tensor)
        if own is None or not own.allocation.symmetric:
            raise ValueError("no tensor in symmetric memory: other ranks do not have it")
        if not 0 <= rank < self.size:
            raise ValueError(f"there is no rank {rank} of {self.size}")
        return self._tensors.give(own.at(rank))

    def side_streams(self, count: int) -> SideStreams:
        return HostCopies(self.host, self._tensors, count)

    def synchronize(self) -> None:
        self.host.synchronize()

    def barrier(self) -> None:
        self.host.barrier()
