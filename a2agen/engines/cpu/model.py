"""The assumptions of the memory model, each a switch. docs/memory-model.md gives the reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Vendor = Literal["ascend", "nvidia"]


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """What the checks assume of a target.

    put: what a blocking put has done when it returns: read its source ("local"), also written its target ("remote"),
        or neither ("none", as a put that does not block).
    strict_tokens: only pointers that carry a wait's token come after it; otherwise everything later in the core does.
    loads_need_fence: loads are asynchronous until a fence, as stores are.
    barrier_of_programs: a device barrier is one of all cores of all ranks; otherwise of one program of each rank.
    barrier_fences: a device barrier completes the core's loads and stores.
    barrier_quiets: a device barrier completes the core's puts.
    fence_quiets: a fence completes the core's puts.
    one_core_per_queue: a (rank, PE) queue belongs to one core of a launch.
    put_to_self: the engine can write to its own rank.
    adds: a notify with sig_op "add" adds; otherwise it stores.
    line: bytes that a notify writes back together, so that words in one must have one writer; 0: a word alone.
    word_stride: bytes between the words of a wait for several.
    words_per_wait: the most words of one wait, None for any number.
    wait_as_told: a wait acquires as its semantic and scope say; otherwise it always does, whatever the writer's rank.
    gpu_scope_stays: a notify of scope "gpu" goes to the own rank, whatever rank it names.
    inter_node_orders: a notify of scope "inter_node" comes after the core's work; otherwise a shmem fence must precede.
    program_is_many_threads: a core is a thread block; only `tl.debug_barrier` orders all its threads, among
        themselves too, but for accesses of one layout.
    """

    put: Literal["local", "remote", "none"] = "local"
    strict_tokens: bool = True
    loads_need_fence: bool = True
    barrier_of_programs: bool = True
    barrier_fences: bool = True
    barrier_quiets: bool = False
    fence_quiets: bool = False
    one_core_per_queue: bool = True
    put_to_self: bool = False
    adds: bool = False
    line: int = 64
    word_stride: int = 64
    words_per_wait: int | None = None
    wait_as_told: bool = False
    gpu_scope_stays: bool = False
    inter_node_orders: bool = True
    program_is_many_threads: bool = False


ASCEND = MemoryModel()
NVIDIA = MemoryModel(
    barrier_of_programs=False,
    one_core_per_queue=False,
    put_to_self=True,
    adds=True,
    line=0,
    word_stride=0,
    words_per_wait=32,
    wait_as_told=True,
    gpu_scope_stays=True,
    inter_node_orders=False,
    program_is_many_threads=True,
)
"""`word_stride` 0: the words of a wait for several are consecutive elements."""


def of_vendor(vendor: Vendor) -> MemoryModel:
    """The assumptions for a vendor's devices."""
    return ASCEND if vendor == "ascend" else NVIDIA
