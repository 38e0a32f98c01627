"""The ranks of an exchange, and the memory and host synchronisation that a launcher gets from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Communicator(ABC):
    """One rank's view of a group of ranks.

    A launcher uses nothing else of its surroundings: a device gives one (`connect`), and so does an engine that runs
    launchers without a device.
    """

    @property
    @abstractmethod
    def rank(self) -> int:
        """This rank, 0 to size - 1."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many ranks there are."""

    @property
    @abstractmethod
    def device(self) -> Any:
        """The device of this rank, as a tensor's `device` compares with it."""

    @abstractmethod
    def symmetric(self, elements: int, dtype: Any) -> Any:
        """A flat tensor at the same heap offset on every rank; its contents are undefined. Collective."""

    @abstractmethod
    def local(self, elements: int, dtype: Any) -> Any:
        """A flat tensor of this rank; its contents are undefined."""

    @abstractmethod
    def free(self, tensor: Any) -> None:
        """Give back a tensor of `symmetric` (collective) or `local`."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait on the host until all work on the current stream has ended."""

    @abstractmethod
    def barrier(self) -> None:
        """Wait on the host until every rank has come here. Says nothing of work on streams."""


def connect(group: Any) -> Communicator:
    """The communicator of a process group, or the group itself where it is one.

    Raises ValueError where the group's device type has no symmetric memory that a2agen knows.
    """
    if isinstance(group, Communicator):
        return group
    from a2agen.runtime.devices import communicator_of  # noqa: PLC0415 - needs torch, which a simulated rank does not

    return communicator_of(group)
