"""The device barriers: of all cores of all ranks on Ascend, of the ranks alone on a GPU."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from a2agen.engines.cpu.machine import Core, Machine

INSTEAD = "no kernel of a GPU has a barrier of all its programs; announce by dl.notify and wait by dl.wait"


@dataclass(frozen=True, slots=True)
class AtBarrier:
    """A core waits in the device barrier."""

    site: int


class Barriers:
    """`libshmem_device.barrier_all` in its forms."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._place = machine.sites.of
        # The program of each rank that joins barriers, by rank and launch, where one alone may.
        self._joined: dict[tuple[int, int], int] = {}

    def barrier_all(self) -> None:
        """`libshmem_device.barrier_all`: all cores of all ranks meet; on a GPU each thread of a program calls it."""
        site = self._place(sys._getframe(1))
        machine = self._machine
        core = machine.begin()
        if not machine.model.barrier_of_programs:
            text = "barrier_all is a barrier of the ranks, one caller of each, and all threads of a program call it: "
            raise machine.halt("rank-barrier", core, site, text + INSTEAD)
        self._meet(core, site)

    def barrier_all_block(self) -> None:
        """`libshmem_device.barrier_all_block`: one program of each rank meets those of the others."""
        site = self._place(sys._getframe(1))
        machine = self._machine
        core = machine.begin()
        if not machine.model.barrier_of_programs:
            first = self._joined.setdefault((core.rank, machine.launches[core.rank]), core.pid)
            if first != core.pid:
                text = f"programs {min(first, core.pid)} and {max(first, core.pid)} of rank {core.rank} both join "
                text += f"barrier_all_block, and it is a barrier of the ranks, one program of each: {INSTEAD}"
                raise machine.halt("rank-barrier", core, site, text)
        self._meet(core, site)

    def _meet(self, core: Core, site: int) -> None:
        machine = self._machine
        model = machine.model
        if model.barrier_quiets:
            machine.complete_puts(core)
        if model.barrier_fences:
            machine.meet(core)
        core.notified.clear()
        core.waited.clear()
        machine.barrier.append(core)
        if machine.missing_in_barrier(core):
            machine.scheduler.block(AtBarrier(site))
            return
        everyone, machine.barrier = machine.barrier, []
        if machine.order:
            for each in everyone:
                each.publish(each.thread)
            joined = np.maximum.reduce([each.control for each in everyone])
            for each in everyone:
                each.clock[:] = joined
                each.control[:] = joined
        for each in everyone:
            if each is not core:
                machine.scheduler.ready(each)
