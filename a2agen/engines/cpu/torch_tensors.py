"""Real torch tensors on the machine's memory, for running a launcher with the torch it will meet on a device.

Imported only when they are asked for: the engine itself needs no torch.
"""

from __future__ import annotations

from typing import Any

import torch

from a2agen.engines.cpu.dtypes import TORCH_NAMES, DType
from a2agen.engines.cpu.errors import UnsupportedError
from a2agen.engines.cpu.tensors import Tensor, Tensors

# What changes a tensor is queued on its rank's stream, as on a device; torch itself would do it at once.
QUEUED = ("add_", "fill_", "zero_")


class SharedTensor(torch.Tensor):  # type: ignore[misc]
    """A torch tensor over a rank's memory. `engine` is the engine's own view of the allocation that it lies in."""

    engine: Tensor

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in QUEUED:
            getattr(engine_tensor(args[0]), name)(*args[1:])
            return args[0]
        if name.endswith("_") and not name.endswith("__"):
            raise UnsupportedError(f"torch.Tensor.{name}")
        out = super().__torch_function__(func, types, args, kwargs or {})
        if isinstance(out, SharedTensor):
            out.engine = args[0].engine
        return out


class TorchTensors(Tensors):
    """Hands launchers real torch tensors on the CPU; all ranks have the one device."""

    def module(self) -> Any:
        return torch

    def give(self, tensor: Tensor) -> Any:
        flat = torch.from_numpy(tensor.elements(bits=True).view(f"i{tensor.dtype.itemsize}"))
        shared = flat.view(getattr(torch, tensor.dtype.name)).as_subclass(SharedTensor)
        shared.engine = tensor
        return shared

    def take(self, value: Any) -> Tensor | None:
        return engine_tensor(value) if isinstance(value, SharedTensor) else None

    def dtype(self, value: Any) -> DType:
        return TORCH_NAMES[str(value).removeprefix("torch.")]

    def device(self, own: Any) -> Any:  # noqa: ARG002
        return torch.device("cpu")


def engine_tensor(tensor: Any) -> Tensor:
    """The engine's view of what a torch tensor shows."""
    whole: Tensor = tensor.engine
    offset = whole.offset + tensor.data_ptr() - whole.data_ptr()
    dtype = TORCH_NAMES[str(tensor.dtype).removeprefix("torch.")]
    return Tensor(whole.host, whole.allocation, dtype, tuple(tensor.shape), tuple(tensor.stride()), offset, whole.rank)
