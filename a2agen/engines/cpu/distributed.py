"""The stand-ins for `triton_dist.language` and `libshmem_device`: what reaches other ranks."""

from __future__ import annotations

import operator
import sys
from typing import Any

from a2agen.engines.cpu.errors import UnsupportedError
from a2agen.engines.cpu.language import Namespace
from a2agen.engines.cpu.machine import Machine
from a2agen.engines.cpu.memory import Pointer, Token
from a2agen.engines.cpu.puts import Puts
from a2agen.engines.cpu.signals import Signals
from a2agen.engines.cpu.sites import Sites

_SCOPES = ("cta", "gpu", "sys")
_SEMANTICS = ("acquire", "relaxed", "release", "acq_rel")


def distributed(machine: Machine, signals: Signals, sites: Sites) -> Namespace:
    """`triton_dist.language` for the kernels of one machine."""
    place = sites.of

    def wait(pointer: Any, count: int, scope: str, semantic: str, waitValue: int = 1) -> Token:  # noqa: N803
        if scope not in _SCOPES or semantic not in _SEMANTICS:
            raise UnsupportedError(f'dl.wait with scope "{scope}" and semantic "{semantic}"')
        return signals.wait(pointer, operator.index(count), operator.index(waitValue), place(sys._getframe(1)))

    def consume_token(value: Any, token: Any) -> Any:
        if not isinstance(token, Token | int):
            raise UnsupportedError(f"dl.consume_token with {type(token).__name__} for a token")
        if isinstance(token, Token):
            machine.core.awaited.pop(token, None)
        # A value is read already; only a pointer can still come after a wait.
        return value.carrying(token) if type(value) is Pointer else value

    def notify(pointer: Any, rank: int, signal: int = 1, sig_op: str = "set", comm_scope: str = "inter_node") -> None:
        rank, signal = operator.index(rank), operator.index(signal)
        signals.notify(pointer, rank, signal, sig_op, comm_scope, place(sys._getframe(1)))

    def symm_at(pointer: Any, rank: int) -> Pointer:
        return signals.symm_at(pointer, operator.index(rank), place(sys._getframe(1)))

    return Namespace(
        "triton_dist.language",
        "dl",
        wait=wait,
        consume_token=consume_token,
        notify=notify,
        symm_at=symm_at,
        rank=lambda _axis=-1: machine.core.rank,
        num_ranks=lambda _axis=-1: machine.ranks,
    )


def shmem(machine: Machine, signals: Signals, sites: Sites) -> Namespace:
    """`triton_dist.language.extra.libshmem_device` for the kernels of one machine."""
    place = sites.of
    puts = Puts(machine, signals)

    def putmem(dest: Any, source: Any, nbytes: int, pe: int) -> None:
        puts.put(dest, source, operator.index(nbytes), operator.index(pe), place(sys._getframe(1)), blocking=True)

    def putmem_nbi(dest: Any, source: Any, nbytes: int, pe: int) -> None:
        puts.put(dest, source, operator.index(nbytes), operator.index(pe), place(sys._getframe(1)), blocking=False)

    def barrier_all() -> None:
        signals.barrier_all(place(sys._getframe(1)))

    members: dict[str, Any] = {
        "my_pe": lambda: machine.core.rank,
        "n_pes": lambda: machine.ranks,
        "fence": signals.fence,
        "quiet": signals.quiet,
        "barrier_all": barrier_all,
        "putmem": putmem,
        "putmem_nbi": putmem_nbi,
    }
    if machine.model.program_is_many_threads:
        members |= {"putmem_block": putmem, "putmem_nbi_block": putmem_nbi, "barrier_all_block": barrier_all}
    else:
        members["barrier_all_vec"] = barrier_all
    return Namespace("triton_dist.language.extra.libshmem_device", "libshmem_device", **members)
