"""The stand-ins for `triton_dist.language` and `libshmem_device`: what reaches other ranks."""

from __future__ import annotations

import operator
import sys
from typing import Any

from a2agen.engines.cpu.barriers import Barriers
from a2agen.engines.cpu.errors import UnsupportedError
from a2agen.engines.cpu.language import Namespace
from a2agen.engines.cpu.machine import Machine
from a2agen.engines.cpu.puts import Puts, Signal
from a2agen.engines.cpu.scalars import plain
from a2agen.engines.cpu.signals import Signals

# No numbers: those of NVSHMEM and of other libraries differ, so kernels have to use the names.
SIGNAL_SET, SIGNAL_ADD = object(), object()


def _number(value: Any) -> int:
    return operator.index(plain(value))


def distributed(machine: Machine, signals: Signals) -> Namespace:
    """`triton_dist.language` for the kernels of one machine."""
    return Namespace(
        "triton_dist.language",
        "dl",
        wait=signals.wait,
        consume_token=signals.consume_token,
        notify=signals.notify,
        symm_at=signals.symm_at,
        rank=lambda _axis=-1: machine.core.rank,
        num_ranks=lambda _axis=-1: machine.ranks,
    )


def shmem(machine: Machine, signals: Signals) -> Namespace:
    """`triton_dist.language.extra.libshmem_device` for the kernels of one machine."""
    place = machine.sites.of
    puts = Puts(machine, signals)
    barriers = Barriers(machine)

    def putmem(dest: Any, source: Any, nbytes: int, pe: int) -> None:
        puts.put(dest, source, _number(nbytes), _number(pe), place(sys._getframe(1)), blocking=True)

    def putmem_nbi(dest: Any, source: Any, nbytes: int, pe: int) -> None:
        puts.put(dest, source, _number(nbytes), _number(pe), place(sys._getframe(1)), blocking=False)

    def putmem_signal_nbi(
        dest: Any, source: Any, nbytes: int, sig_addr: Any, signal: int, sig_op: Any, pe: int
    ) -> None:
        if sig_op not in (SIGNAL_SET, SIGNAL_ADD):
            raise UnsupportedError(
                f"putmem_signal with sig_op {sig_op!r}: it is NVSHMEM_SIGNAL_SET or NVSHMEM_SIGNAL_ADD"
            )
        word = Signal(sig_addr, _number(signal), adds=sig_op is SIGNAL_ADD)
        site = place(sys._getframe(1))
        puts.put(dest, source, _number(nbytes), _number(pe), site, blocking=False, signal=word)

    members: dict[str, Any] = {
        "my_pe": lambda: machine.core.rank,
        "n_pes": lambda: machine.ranks,
        "fence": signals.fence,
        "quiet": signals.quiet,
        "barrier_all": barriers.barrier_all,
    }
    if machine.model.program_is_many_threads:
        members |= {
            "putmem_block": putmem,
            "putmem_nbi_block": putmem_nbi,
            "putmem_signal_nbi_block": putmem_signal_nbi,
            "barrier_all_block": barriers.barrier_all_block,
            "NVSHMEM_SIGNAL_SET": SIGNAL_SET,
            "NVSHMEM_SIGNAL_ADD": SIGNAL_ADD,
        }
    else:
        members |= {"putmem": putmem, "putmem_nbi": putmem_nbi, "barrier_all_vec": barriers.barrier_all}
    return Namespace("triton_dist.language.extra.libshmem_device", "libshmem_device", **members)
