"""The CPU engine: runs an emitted kernel and its launcher as they are, ranks and cores interleaved, with checks.

`simulate` takes a `Program`, which is plain data, and gives an `Outcome`. docs/memory-model.md says what the checks
assume.
"""

from a2agen.engines.cpu.errors import KernelError
from a2agen.engines.cpu.findings import KINDS, SimFinding
from a2agen.engines.cpu.model import ASCEND, NVIDIA, MemoryModel, of_vendor
from a2agen.engines.cpu.program import Exchange, Program, Tensor
from a2agen.engines.cpu.simulation import Outcome, Ran, search, simulate

__all__ = [
    "ASCEND",
    "KINDS",
    "NVIDIA",
    "Exchange",
    "KernelError",
    "MemoryModel",
    "Outcome",
    "Program",
    "Ran",
    "SimFinding",
    "Tensor",
    "of_vendor",
    "search",
    "simulate",
]
