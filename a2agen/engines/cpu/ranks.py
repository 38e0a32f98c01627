"""What a simulated rank's launcher gets for its group."""

from __future__ import annotations

from collections import Counter
from typing import Any

from a2agen.engines.cpu.copies import HostCopies
from a2agen.engines.cpu.host import Host
from a2agen.engines.cpu.memory import Allocation
from a2agen.engines.cpu.tensors import Tensor, Tensors
from a2agen.runtime import Communicator, SideStreams


class Arena:
    """A rank's memory for operators of several shapes, which all lie in it: the k-th allocation of each starts where
    the k-th of every other does. `sizes` are the bytes of the largest. The operators share the side streams too."""

    def __init__(self, sizes: tuple[int, ...], operators: int) -> None:
        self.sizes = sizes
        self.held: list[Allocation] = []
        self.streams: SideStreams | None = None
        self._operators = operators
        self._freed: Counter[Allocation] = Counter()

    def last(self, allocation: Allocation) -> bool:
        """Whether every operator has given its part of an allocation back, counting this call as one."""
        self._freed[allocation] += 1
        return self._freed[allocation] == self._operators


class RankCommunicator(Communicator):
    """The `group` that a simulated rank's launcher gets. With an `arena`, its memory lies there."""

    def __init__(self, host: Host, tensors: Tensors, arena: Arena | None = None) -> None:
        self.host = host
        self._tensors = tensors
        self._arena = arena
        self._taken = 0

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
        return self._tensors.give(Tensor(self.host, self._memory(elements * dtype.itemsize, True), dtype, (elements,)))

    def local(self, elements: int, dtype: Any) -> Any:
        dtype = self._tensors.dtype(dtype)
        return self._tensors.give(Tensor(self.host, self._memory(elements * dtype.itemsize, False), dtype, (elements,)))

    def _memory(self, nbytes: int, symmetric: bool) -> Allocation:
        """The next allocation: a new one, or that of an operator which shares the memory."""
        arena = self._arena
        if arena is None:
            return self._allocate(nbytes, symmetric)
        number = self._taken
        self._taken += 1
        if number == len(arena.held):
            arena.held.append(self._allocate(arena.sizes[number], symmetric))
        return arena.held[number]

    def _allocate(self, nbytes: int, symmetric: bool) -> Allocation:
        host = self.host
        if not symmetric:
            return host.machine.allocate(nbytes, self.rank)
        known = host.meeting.symmetric
        if host.symmetric_count == len(known):
            known.append(host.machine.allocate(nbytes, None))
        allocation = known[host.symmetric_count]
        host.symmetric_count += 1
        if allocation.nbytes != nbytes:
            raise ValueError(
                f"rank {self.rank} allocates {nbytes} symmetric bytes where others took {allocation.nbytes}"
            )
        return allocation

    def free(self, tensor: Any) -> None:
        taken = self._tensors.take(tensor)
        if taken is None:
            raise ValueError(f"{type(tensor).__name__} is no tensor of this communicator")
        if self._arena is None or self._arena.last(taken.allocation):
            taken.allocation.free(self.rank)

    def peer(self, tensor: Any, rank: int) -> Any:
        own = self._tensors.take(tensor)
        if own is None or not own.allocation.symmetric:
            raise ValueError("no tensor in symmetric memory: other ranks do not have it")
        if not 0 <= rank < self.size:
            raise ValueError(f"there is no rank {rank} of {self.size}")
        return self._tensors.give(own.at(rank))

    def side_streams(self, count: int) -> SideStreams:
        if self._arena is None:
            return HostCopies(self.host, self._tensors, count)
        if self._arena.streams is None:
            self._arena.streams = HostCopies(self.host, self._tensors, count)
        return self._arena.streams

    def synchronize(self) -> None:
        self.host.synchronize()

    def barrier(self) -> None:
        self.host.barrier()
