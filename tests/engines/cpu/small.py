"""A right exchange of a few rows, with room for a snippet that is to be found or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from textwrap import indent

from a2agen.engines.cpu import ASCEND, NVIDIA, MemoryModel, Outcome, Program, simulate
from tests.engines.cpu.programs import Vendor, reverse

MODELS: Mapping[Vendor, MemoryModel] = {"ascend": ASCEND, "nvidia": replace(NVIDIA, barrier_of_programs=True)}
"""What the program below runs under: it meets by a barrier of all programs, and a GPU has none."""

KERNEL = """\
import triton
import triton.language as tl
import triton_dist.language as dl
from triton_dist.language.extra import libshmem_device


@triton.jit
def exchange(A, C, P, scratch, words, rank, W, S, D, TILE: tl.constexpr = 16):
    pid = tl.program_id(0)
{start}
    offs = tl.arange(0, TILE)
    mask = offs < D
    if pid == 0:
        for to in range(W):
            tile = tl.load(A + to * D + offs, mask=mask)
            tl.store(dl.symm_at(P, to) + rank * D + offs, tile, mask=mask)
    tl.debug_barrier()
    libshmem_device.barrier_all()
    if pid == 0:
        for src in range(W):
            tl.store(C + src * D + offs, tl.load(P + src * D + offs, mask=mask), mask=mask)
    tl.debug_barrier()
    libshmem_device.barrier_all()
{snippet}
"""

LAUNCHER = """\
import torch

from a2agen import runtime

from .kernel import exchange


class Exchange:
    cores = {cores}

    def __init__(self, group, *, S, D):
        self._ranks = ranks = runtime.connect(group)
        self.S, self.D = S, D
        self._workspace = workspace = runtime.Workspace(ranks)
        self._P = workspace.symmetric((ranks.size, D), torch.{dtype})
        self._words = workspace.symmetric((64,), torch.int64)
        self._C = workspace.local((S, ranks.size, D), torch.{dtype})
        self._scratch = workspace.local((64,), torch.{scratch})
        self._words.zero_()
        ranks.synchronize()
        ranks.barrier()

    def __call__(self, A):
        ranks = self._ranks
{before}
        exchange[(self.cores,)](
            A, self._C, self._P, self._scratch, self._words, ranks.rank, ranks.size, self.S, self.D
        )
{after}
        return self._C

    def close(self):
        self._workspace.close()
"""
TORCH = {"bf16": "bfloat16", "f32": "float32", "f16": "float16", "i8": "int8", "i32": "int32", "i64": "int64"}
TORCH |= {"f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


def small(
    snippet: str = "",
    *,
    start: str = "",
    vendor: Vendor = "ascend",
    dtype: str = "bf16",
    scratch: str = "int64",
    cores: int = 3,
    before: str = "",
    after: str = "",
) -> Program:
    """The program with `start` and `snippet` at the ends of its kernel, and `before` and `after` around the launch."""
    kernel = KERNEL.format(snippet=indent(snippet, " " * 4), start=indent(start, " " * 4))
    launcher = LAUNCHER.format(
        cores=cores,
        dtype=TORCH[dtype],
        scratch=scratch,
        before=indent(before, " " * 8),
        after=indent(after, " " * 8),
    )
    return Program(kernel, "kernel.py", launcher, "launcher.py", reverse(("S", "D"), vendor, dtype))


def line_of(program: Program, text: str) -> int:
    """The line of the kernel that a text is in."""
    return next(n for n, line in enumerate(program.kernel.splitlines(), 1) if text in line)


def run(program: Program, *, launches: int = 2, interleavings: int = 4, seed: int = 0, row: int = 9) -> Outcome:
    """A few interleavings on two ranks, with rows of `row` elements."""
    values, model = {"W": 2, "S": 1, "D": row}, MODELS[program.exchange.vendor]
    return simulate(program, values, launches=launches, interleavings=interleavings, seed=seed, model=model)


def kinds(outcome: Outcome) -> set[str]:
    """The kinds of what was found, in a program that could be run."""
    assert outcome.error is None
    return {finding.kind for finding in outcome.findings}
