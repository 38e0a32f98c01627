"""Communicators over a torch process group: Ascend with aclshmem, NVIDIA with NVSHMEM through Triton-Distributed, or
with torch's symmetric memory where the stand-in takes the place of Triton-Distributed.

Those of aclshmem and NVSHMEM were not run on a device yet: written from the libraries' sources.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from a2agen.runtime import standin
from a2agen.runtime.communicator import Communicator, SideStreams


class _TorchCommunicator(Communicator):
    """What both vendors share: ranks by the process group, local memory and the host barrier by torch."""

    def __init__(self, group: Any, device: Any) -> None:
        self._group = group
        self._device = device
        if dist.get_world_size(group) != dist.get_world_size():
            raise ValueError("the group must hold every rank of the job: symmetric addresses are numbered over all PEs")

    @property
    def rank(self) -> int:
        return int(dist.get_rank(self._group))

    @property
    def size(self) -> int:
        return int(dist.get_world_size(self._group))

    @property
    def device(self) -> Any:
        return self._device

    def local(self, elements: int, dtype: Any) -> Any:
        return torch.empty(elements, dtype=dtype, device=self._device)

    def barrier(self) -> None:
        dist.barrier(group=self._group)
        self.synchronize()


class AscendCommunicator(_TorchCommunicator):
    """Symmetric memory by aclshmem's Python package `shmem`, initialised by the caller for the whole job."""

    def __init__(self, group: Any) -> None:
        super().__init__(group, torch.device("npu", torch.npu.current_device()))

    def symmetric(self, elements: int, dtype: Any) -> Any:
        import shmem  # noqa: PLC0415 - exists on Ascend machines only

        return shmem.aclshmem_create_tensor([elements], dtype=dtype, device_id=self._device.index)

    def free(self, tensor: Any) -> None:
        import shmem  # noqa: PLC0415

        if shmem.aclshmem_ptr(tensor.data_ptr(), self.rank):
            shmem.aclshmem_free_tensor(tensor)

    def synchronize(self) -> None:
        torch.npu.current_stream().synchronize()


class NvidiaCommunicator(_TorchCommunicator):
    """Symmetric memory by NVSHMEM as Triton-Distributed allocates it, initialised by the caller for the whole job."""

    def __init__(self, group: Any) -> None:
        super().__init__(group, torch.device("cuda", torch.cuda.current_device()))
        self._symmetric: set[int] = set()
        self._peers: dict[tuple[int, int], Any] = {}

    def symmetric(self, elements: int, dtype: Any) -> Any:
        from triton_dist import utils  # noqa: PLC0415 - exists where Triton-Distributed is installed only

        tensor = utils.nvshmem_create_tensor((elements,), dtype)
        self._symmetric.add(tensor.data_ptr())
        return tensor

    def free(self, tensor: Any) -> None:
        from triton_dist import utils  # noqa: PLC0415

        if tensor.data_ptr() in self._symmetric:
            self._symmetric.discard(tensor.data_ptr())
            for key in [key for key in self._peers if key[0] == tensor.data_ptr()]:
                del self._peers[key]
            utils.nvshmem_free_tensor_sync(tensor)

    def peer(self, tensor: Any, rank: int) -> Any:
        """The tensor at a peer that NVLink reaches, by `nvshmem_ptr` as nvshmem4py wraps it.

        nvshmem4py counts the references to a buffer, so a peer's tensor is made once.
        """
        import nvshmem.core  # noqa: PLC0415 - comes with Triton-Distributed

        if rank == self.rank:
            return tensor
        key = (tensor.data_ptr(), rank)
        if key not in self._peers:
            self._peers[key] = nvshmem.core.get_peer_tensor(tensor, rank)
        return self._peers[key].view(tensor.shape)

    def side_streams(self, count: int) -> SideStreams:
        from a2agen.runtime.copies import NvidiaSideStreams  # noqa: PLC0415

        return NvidiaSideStreams(self._device, count)

    def synchronize(self) -> None:
        torch.cuda.current_stream().synchronize()


def communicator_of(group: Any) -> Communicator:
    """The communicator of a process group, by the accelerator that torch finds."""
    if hasattr(torch, "npu") and torch.npu.is_available():
        return AscendCommunicator(group)
    if torch.cuda.is_available():
        if standin.installed():
            from a2agen.runtime.nvlink import ProcessRank  # noqa: PLC0415 - for the stand-in only

            return ProcessRank.of(group)
        return NvidiaCommunicator(group)
    raise ValueError("no NPU and no GPU found: a2agen's launchers need one, its `cpu` engine runs without")
