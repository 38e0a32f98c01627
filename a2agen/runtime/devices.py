"""Communicators over a torch process group: Ascend with aclshmem, NVIDIA with NVSHMEM through Triton-Distributed.

Neither was run on a device yet: written from the libraries' sources.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from a2agen.runtime.communicator import Communicator, SideStreams
from a2agen.runtime.planes import planes


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
        return NvidiaSideStreams(self._device, count)

    def synchronize(self) -> None:
        torch.cuda.current_stream().synchronize()


class NvidiaSideStreams(SideStreams):
    """CUDA streams and events, made once; copies by `cudaMemcpy2DAsync`, which leaves them to the copy engine.

    torch's own `copy_` runs a kernel where a side has gaps, so it is not used. Not run on a device in this form: a
    copy of one plane to a peer on a forked stream by the same call was measured on two H200 (390 GB/s each way).
    """

    def __init__(self, device: Any, count: int) -> None:
        self._streams = [torch.cuda.Stream(device) for _ in range(count)]
        self._forked = torch.cuda.Event()
        self._done = [torch.cuda.Event() for _ in range(count)]

    def fork(self) -> None:
        self._forked.record()
        for stream in self._streams:
            stream.wait_event(self._forked)

    def copy(self, number: int, target: Any, source: Any) -> None:
        from cuda.bindings import runtime as cuda  # noqa: PLC0415 - a dependency of torch on CUDA machines only

        found = planes(tuple(target.shape), target.stride(), source.stride(), target.element_size())
        if found is None:
            return
        into, out_of = target.data_ptr(), source.data_ptr()
        kind, stream = cuda.cudaMemcpyKind.cudaMemcpyDefault, self._streams[number].cuda_stream
        for there, here in found.starts:
            (error,) = cuda.cudaMemcpy2DAsync(
                *(into + there, found.pitches[0], out_of + here, found.pitches[1]),
                *(found.width, found.height, kind, stream),
            )
            if error != cuda.cudaError_t.cudaSuccess:
                raise RuntimeError(f"cudaMemcpy2DAsync failed: {error}")

    def join(self) -> None:
        current = torch.cuda.current_stream()
        for stream, done in zip(self._streams, self._done, strict=True):
            done.record(stream)
            current.wait_event(done)


def communicator_of(group: Any) -> Communicator:
    """The communicator of a process group, by the accelerator that torch finds."""
    if hasattr(torch, "npu") and torch.npu.is_available():
        return AscendCommunicator(group)
    if torch.cuda.is_available():
        return NvidiaCommunicator(group)
    raise ValueError("no NPU and no GPU found: a2agen's launchers need one, its `cpu` engine runs without")
