"""The direct exchange of two or more GPUs written by hand for stock Triton, as one would without a compiler: the
measure for what is emitted. Flags switch what one may wonder about; without ENTER it is not safe, and only measured."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl


@triton.jit
def _poll(ptr, value):  # type: ignore[no-untyped-def]
    tl.inline_asm_elementwise(
        """
        {
            .reg .pred %differs;
            .reg .b64 %found;
        again:
            ld.acquire.sys.global.b64 %found, [$1];
            setp.ne.b64 %differs, %found, $2;
            @%differs bra again;
            mov.b32 $0, 0;
        }
        """,
        "=r,l,l",
        [ptr.to(tl.int64), value],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def _tell(ptr, value, how: tl.constexpr):  # type: ignore[no-untyped-def]
    """One thread of the program: how is st or red, released or relaxed."""
    asm: tl.constexpr = (
        """
        {
            .reg .pred %first;
            .reg .b32 %thread;
            mov.u32 %thread, %tid.x;
            setp.eq.u32 %first, %thread, 0;
            @%first """
        + how
        + """ [$1], $2;
            mov.b32 $0, 0;
        }
        """
    )
    tl.inline_asm_elementwise(asm, "=r,l,l", [ptr.to(tl.int64), value], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def _at(ptr, to, peers):  # type: ignore[no-untyped-def]
    size: tl.constexpr = ptr.dtype.element_ty.primitive_bitwidth // 8
    return ptr + tl.multiple_of(tl.load(peers + 2 + to) // size, 16)


@triton.jit(do_not_specialize=["rank"])
def direct(  # type: ignore[no-untyped-def]
    A,
    C,
    ready,
    entered,
    epochs,
    peers,
    rank,
    S,
    RUN,
    W: tl.constexpr,
    TS: tl.constexpr,
    TR: tl.constexpr,
    ENTER: tl.constexpr,
    EARLY: tl.constexpr,
    RELAXED: tl.constexpr,
):
    pid, cores = tl.program_id(0), tl.num_programs(0)
    epoch = tl.load(epochs + pid * 16) + 1
    if ENTER:
        for i in range(pid, W - 1, cores):
            to = (rank + i + 1) % W
            if RELAXED:
                _tell(_at(entered + rank * 16, to, peers), epoch, "st.relaxed.sys.global.b64")
            else:
                _tell(_at(entered + rank * 16, to, peers), epoch, "st.release.sys.global.b64")
    tiles = tl.cdiv(RUN, TR)
    total = tl.cdiv(S, TS) * tiles * W
    rows, along = tl.arange(0, TS), tl.arange(0, TR)
    begin = pid
    if EARLY:
        to = (rank + pid % W) % W
        r0, s0 = pid // W % tiles * TR, pid // W // tiles * TS
        mask = (s0 + rows < S)[:, None] & (r0 + along < RUN)[None, :]
        tile = tl.load(A + (to * S + s0) * RUN + r0 + rows[:, None] * RUN + along[None, :], mask=mask)
    if ENTER:
        for i in range(W - 1):
            _poll(entered + (rank + i + 1) % W * 16, epoch)
    if EARLY:
        to = (rank + pid % W) % W
        r0, s0 = pid // W % tiles * TR, pid // W // tiles * TS
        mask = (s0 + rows < S)[:, None] & (r0 + along < RUN)[None, :]
        tl.store(
            _at(C, to, peers) + (s0 * W + rank) * RUN + r0 + rows[:, None] * (W * RUN) + along[None, :], tile, mask
        )
        begin = pid + cores
    for task in range(begin, total, cores):
        to = (rank + task % W) % W
        r0, s0 = task // W % tiles * TR, task // W // tiles * TS
        mask = (s0 + rows < S)[:, None] & (r0 + along < RUN)[None, :]
        tile = tl.load(A + (to * S + s0) * RUN + r0 + rows[:, None] * RUN + along[None, :], mask=mask)
        tl.store(
            _at(C, to, peers) + (s0 * W + rank) * RUN + r0 + rows[:, None] * (W * RUN) + along[None, :], tile, mask
        )
    tl.debug_barrier()
    for i in range(W - 1):
        _tell(_at(ready + rank * 16, (rank + i + 1) % W, peers), tl.cast(1, tl.int64), "red.release.sys.global.add.u64")
    for i in range(pid, W - 1, cores):
        _poll(ready + (rank + i + 1) % W * 16, epoch * cores)
    tl.store(epochs + pid * 16, epoch)


@triton.jit
def nothing(epochs):  # type: ignore[no-untyped-def]
    """A kernel that does next to nothing: what a launch costs."""
    pid = tl.program_id(0)
    tl.store(epochs + pid * 16, tl.load(epochs + pid * 16) + 1)


_PLAIN = {"ENTER": True, "EARLY": False, "RELAXED": False}
FLAGS = {
    "by hand": _PLAIN,
    "by hand, early": _PLAIN | {"EARLY": True},
    "by hand, relaxed": _PLAIN | {"RELAXED": True},
    "by hand, early, relaxed": _PLAIN | {"EARLY": True, "RELAXED": True},
}
"""What the emitted kernel is measured against. Without ENTER a faster rank adds to a word before a slower one has seen
it, which then waits for ever: that is left out."""


class Direct:
    """The kernel with its memory, taken from an operator of the same shape; close that one to free it."""

    def __init__(
        self, ranks: Any, shape: tuple[int, int], dtype: Any, cores: int, tile: tuple[int, int], **flags: bool
    ) -> None:
        import torch  # noqa: PLC0415

        from a2agen.runtime.standin import peers  # noqa: PLC0415

        self._ranks, self._cores, self._tile, self._flags = ranks, cores, tile, flags
        self._rows, self._run = shape
        size = ranks.size
        self._C = ranks.symmetric(size * self._rows * self._run, dtype)
        self._ready, self._entered = (ranks.symmetric(size * 16, torch.int64) for _ in range(2))
        self._epochs = ranks.local(cores * 16, torch.int64)
        for words in (self._ready, self._entered, self._epochs):
            words.zero_()
        self._peers = peers.table_of([self._C])
        self.result = self._C
        ranks.synchronize()
        ranks.barrier()

    def __call__(self, source: Any) -> Any:
        direct[(self._cores,)](*self._arguments(source), **self._constants)
        return self._C

    def load(self, source: Any) -> None:
        """Compile the kernel and load it, which can take until what runs on the device has ended."""
        direct.warmup(*self._arguments(source), grid=(self._cores,), **self._constants)._init_handles()

    def _arguments(self, source: Any) -> tuple[Any, ...]:
        words = (self._ready, self._entered, self._epochs)
        return (source, self._C, *words, self._peers, self._ranks.rank, self._rows, self._run)

    @property
    def _constants(self) -> dict[str, Any]:
        return {"W": self._ranks.size, "TS": self._tile[0], "TR": self._tile[1], **self._flags}

    def close(self) -> None:
        self._ranks.synchronize()
        self._ranks.barrier()
        for tensor in (self._C, self._ready, self._entered):
            self._ranks.free(tensor)
