"""Ranks that reach each other's heap, and side streams, on a torch and a driver that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from a2agen.runtime import driver
from a2agen.runtime.heap import ALIGNMENT
from a2agen.runtime.standin import peers
from tests.runtime.fakes import Tensor
from tests.runtime.modules import loaded, module

HEAP = 8 * ALIGNMENT
DEVICE = SimpleNamespace(type="cuda", index=1)
INT64 = SimpleNamespace(itemsize=8)


class Bytes:
    """Bytes from an address on, that remember what they were last seen as."""

    def __init__(self, address: int, size: int, dtype: Any = "uint8", shape: tuple[int, ...] | None = None) -> None:
        self.address, self.size, self.dtype, self.device = address, size, dtype, DEVICE
        self.shape = shape or (size,)

    def numel(self) -> int:
        return self.size // self.element_size()

    def element_size(self) -> int:
        return getattr(self.dtype, "itemsize", 1)

    def data_ptr(self) -> int:
        return self.address

    def view(self, what: Any) -> Bytes:
        shape = what if isinstance(what, tuple) else None
        return Bytes(self.address, self.size, self.dtype if shape else what, shape)

    def __getitem__(self, part: slice) -> Bytes:
        assert 0 <= part.start <= part.stop <= self.size
        return Bytes(self.address + part.start, part.stop - part.start)


class Torch:
    """What is asked of torch, written down."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.reached = True
        stream = SimpleNamespace(synchronize=lambda: self.log.append("synchronize"))
        self.module = module(
            "torch",
            int64="int64",
            uint8="uint8",
            tensor=lambda values, **options: ("table", *values),
            empty=lambda count, **options: ("empty", count, options["device"]),
            zeros=self._zeros,
            cuda=SimpleNamespace(
                Stream=self._stream,
                current_stream=lambda device: stream,
                can_device_access_peer=lambda one, other: self.reached,
                synchronize=lambda device: self.log.append(("synchronize", device)),
            ),
            _C=SimpleNamespace(_cuda_getCurrentRawStream=lambda index: 100 + index),
        )
        self._next = 0

    def _stream(self, device: Any) -> Any:
        self._next += 1
        return SimpleNamespace(cuda_stream=self._next)

    def _zeros(self, size: int, dtype: str, device: Any) -> Any:
        self._next += 1
        return Bytes(self._next << 20, size)


@pytest.fixture
def torch() -> Torch:
    return Torch()


@pytest.fixture
def nvlink(torch) -> Iterator[Any]:
    fakes = {"torch": torch.module, "torch.distributed": module("torch.distributed")}
    torch.module.distributed = fakes["torch.distributed"]
    with loaded("a2agen.runtime.nvlink", fakes, "a2agen.runtime.copies") as found:
        yield found


@pytest.fixture
def rank(nvlink) -> Any:
    """Rank 1 of three, whose heaps it sees at 1 MiB, 2 MiB and 3 MiB."""

    class Rank(nvlink.HeapCommunicator):
        def _heap_of(self, rank: int) -> Bytes:
            return Bytes((rank + 1) << 20, HEAP)

        def barrier(self) -> None:
            raise NotImplementedError

    return Rank(1, Bytes(2 << 20, HEAP), [1 << 20, 2 << 20, 3 << 20])


def test_tensors_lie_in_the_heap_and_are_known_to_kernels(rank):
    assert (rank.rank, rank.size, rank.device) == (1, 3, DEVICE)
    first, second = rank.symmetric(3, INT64), rank.symmetric(ALIGNMENT, SimpleNamespace(itemsize=1))
    assert [t.address for t in (first, second)] == [2 << 20, (2 << 20) + ALIGNMENT]
    assert (first.size, first.dtype) == (24, INT64)
    assert peers.table_of([first]) == ("table", 1, 3, -(1 << 20), 0, 1 << 20, 0)
    rank.free(first)
    with pytest.raises(ValueError, match="which ranks are the peers"):
        peers.table_of([first])
    assert rank.symmetric(1, INT64).address == 2 << 20
    rank.free(second)
    # Local memory is not the heap's to take back.
    local = rank.local(5, INT64)
    assert local == ("empty", 5, DEVICE)
    rank.free(Bytes(99, 8))


def test_a_heap_that_is_full(rank):
    with pytest.raises(MemoryError, match=f"symmetric heap of {HEAP} bytes"):
        rank.symmetric(HEAP + 1, SimpleNamespace(itemsize=1))


def test_a_peers_tensor_is_at_the_same_place_of_its_heap(rank):
    rank.symmetric(1, INT64)
    tensor = rank.symmetric(6, INT64).view((2, 3))
    there = rank.peer(tensor, 2)
    assert (there.address - (3 << 20), there.size, there.dtype) == (ALIGNMENT, 48, INT64)
    assert there.shape == (2, 3)
    assert rank.peer(tensor, 1) is tensor
    with pytest.raises(ValueError, match="no tensor in symmetric memory"):
        rank.peer(Bytes(99, 8), 2)


@pytest.mark.parametrize(("text", "size"), [(None, 4 << 30), ("4096", 4096)])
def test_the_size_of_the_heap(nvlink, monkeypatch, text, size):
    monkeypatch.delenv("A2AGEN_HEAP_BYTES", raising=False)
    if text is not None:
        monkeypatch.setenv("A2AGEN_HEAP_BYTES", text)
    assert nvlink.heap_bytes() == size


@pytest.mark.parametrize("text", ["", "0", "-1", "4G", "1e9"])
def test_a_size_that_is_none(nvlink, monkeypatch, text):
    monkeypatch.setenv("A2AGEN_HEAP_BYTES", text)
    with pytest.raises(ValueError, match=f"must be a number of bytes, found '{text}'"):
        nvlink.heap_bytes()


def test_gpus_that_do_not_reach_each_other(nvlink, torch):
    torch.reached = False
    with pytest.raises(ValueError, match="gpu a does not reach the memory of gpu b"):
        nvlink.thread_ranks(2, ["gpu a", "gpu b"], HEAP)


class Calls:
    """A driver that writes down copies, events and who follows whom."""

    def __init__(self, monkeypatch) -> None:
        self.log: list[Any] = []
        self._events = 1000
        monkeypatch.setattr(driver, "event", self._event)
        monkeypatch.setattr(driver, "record", lambda event, stream: self.log.append(("record", event, stream)))
        monkeypatch.setattr(driver, "follow", lambda stream, event: self.log.append(("follow", stream, event)))
        monkeypatch.setattr(driver, "copy", lambda plane, stream: self.log.append(("copy", plane, stream)))

    def _event(self) -> int:
        self._events += 1
        return self._events


@pytest.fixture
def driven(monkeypatch) -> Calls:
    return Calls(monkeypatch)


def test_side_streams_come_after_the_current_one_and_before_what_follows(rank, driven):
    streams = rank.side_streams(2)
    streams.fork()
    assert driven.log == [("record", 1001, 101), ("follow", 1, 1001), ("follow", 2, 1001)]
    driven.log.clear()
    streams.join()
    assert driven.log == [("record", 1002, 1), ("follow", 101, 1002), ("record", 1003, 2), ("follow", 101, 1003)]


def test_a_copy_is_planes_on_its_stream(rank, driven):
    streams = rank.side_streams(2)
    # Two rows of three of bf16, eight apart at the target.
    target = Tensor((2, 3), "torch.bfloat16", address=500, strides=(8, 1))
    source = Tensor((2, 3), "torch.bfloat16", address=900)
    streams.copy(1, target, source)
    ((_, plane, stream),) = driven.log
    assert (plane.target, plane.source, plane.width, plane.height) == (500, 900, 6, 2)
    assert (plane.target_pitch, plane.source_pitch, stream) == (16, 6, 2)
    streams.copy(0, target, source)
    assert driven.log[1][1] is plane  # kept
    streams.copy(0, target, Tensor((2, 3), "torch.bfloat16", address=902))
    assert driven.log[2][1].source == 902
    driven.log.clear()
    nothing = Tensor((0, 3), "torch.bfloat16", address=500)
    streams.copy(0, nothing, nothing)
    assert driven.log == []


def test_copies_that_are_many_planes_and_many_copies(rank, driven, nvlink):
    from a2agen.runtime import copies  # noqa: PLC0415  # the one that the fixture loaded

    streams = rank.side_streams(1)
    target = Tensor((3, 4, 5), "torch.float32", address=1 << 20, strides=(5, 15, 1))
    source = Tensor((3, 4, 5), "torch.float32", address=0)
    streams.copy(0, target, source)
    assert [(p.target - (1 << 20), p.source) for _, p, _ in driven.log] == [(0, 0), (20, 80), (40, 160)]
    for n in range(2 * copies.REMEMBERED):
        streams.copy(0, target, Tensor((3, 4, 5), "torch.float32", address=4 * n))
        assert len(streams._known) <= copies.REMEMBERED
