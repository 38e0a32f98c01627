"""The ranks of an exchange, and the memory and host synchronisation that a launcher gets from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class SideStreams(ABC):
    """Streams on which the host issues copies, between a fork from the current stream and a join to it."""

    @abstractmethod
    def fork(self) -> None:
        """Let every side stream go on after all so far on the current stream."""

    @abstractmethod
    def copy(self, number: int, target: Any, source: Any) -> None:
        """Copy `source` to `target`, tensors of one shape and any strides, on the side stream of this number.

        The copy is asynchronous, and on its way until the streams are joined. `target` may be at a peer.
        """

    @abstractmethod
    def join(self) -> None:
        """Let the current stream go on after all so far on every side stream."""


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

    def peer(self, tensor: Any, rank: int) -> Any:  # noqa: ARG002
        """The tensor of `symmetric` at another rank, of this one's shape; the tensor itself at this rank.

        Raises ValueError where the host cannot reach the memory of other ranks.
        """
        raise ValueError(f"the host cannot write to other ranks on {self.device}")

    def side_streams(self, count: int) -> SideStreams:  # noqa: ARG002
        """`count` streams beside the current one. Raises ValueError where no engine copies for the host."""
        raise ValueError(f"there is no copy engine that the host starts on {self.device}")

    @abstractmethod
    def synchronize(self) -> None:
        """Wait on the host until all work on the current stream has ended."""

    @abstractmethod
    def barrier(self) -> None:
        """Wait on the host until every rank has come here. Says nothing of work on streams."""
