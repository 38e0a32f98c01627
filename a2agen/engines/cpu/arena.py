"""How much memory operators of several shapes need that are to lie in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from a2agen.engines.cpu.host import Host, Meeting, Stream
from a2agen.engines.cpu.machine import Machine
from a2agen.engines.cpu.ranks import RankCommunicator
from a2agen.engines.cpu.tensors import Tensors


class _Idle(Host):
    """A host that does nothing of what it is told: an operator can be built with it, and not launched."""

    def enqueue(self, work: Callable[[], None], stream: Stream | None = None) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def barrier(self) -> None:
        pass


def sizes(machine: Machine, exchange: Any, shapes: Sequence[dict[str, int]], tensors: Tensors) -> tuple[int, ...]:
    """The bytes of the k-th allocation of the launcher's class `exchange`, for all k, in the shape that needs most.

    `machine` is used up; `shapes` are extents of the exchange's dims.
    """
    each = []
    for dims in shapes:
        before = len(machine.allocations)
        exchange(RankCommunicator(_Idle(0, machine, Meeting()), tensors), **dims)
        each.append([allocation.nbytes for allocation in machine.allocations[before:]])
    return tuple(max(taken) for taken in zip_longest(*each, fillvalue=0))
