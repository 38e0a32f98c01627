"""The memory of one operator, bound to a group and a shape."""

from __future__ import annotations

from math import prod
from typing import Any

from a2agen.runtime.communicator import Communicator


class Workspace:
    """Allocates an operator's buffers and signal words, and frees them together.

    Symmetric allocation is collective: every rank must build the same operators in the same order.
    """

    def __init__(self, ranks: Communicator) -> None:
        self._ranks = ranks
        self._tensors: list[Any] = []
        self.bytes = 0
        self._closed = False

    def check_open(self) -> None:
        """Raises RuntimeError where the memory was freed, so that nothing is launched on it."""
        if self._closed:
            raise RuntimeError("the operator is closed and its memory is freed: build another one to launch again")

    def symmetric(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A dense tensor of `shape` at the same heap offset on every rank, contents undefined."""
        return self._keep(self._ranks.symmetric(prod(shape), dtype), shape)

    def local(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A dense tensor of `shape` in this rank's memory, contents undefined."""
        return self._keep(self._ranks.local(prod(shape), dtype), shape)

    def close(self) -> None:
        """Free everything, once no rank's work touches it any more. Collective; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._ranks.synchronize()
        self._ranks.barrier()
        while self._tensors:
            self._ranks.free(self._tensors.pop())
        self.bytes = 0

    def _keep(self, tensor: Any, shape: tuple[int, ...]) -> Any:
        self._tensors.append(tensor)
        self.bytes += tensor.numel() * tensor.element_size()
        return tensor.view(shape)
