"""A deadlock in words: who is blocked where, what is there and who wrote it last."""

from __future__ import annotations

from typing import Any

import numpy as np

from a2agen.engines.cpu.barriers import AtBarrier
from a2agen.engines.cpu.host import Host
from a2agen.engines.cpu.machine import Core, Machine
from a2agen.engines.cpu.scheduler import Actor
from a2agen.engines.cpu.signals import Waiting

# How many blocked cores of a line are spelled out.
SHOWN = 2


def report(machine: Machine, blocked: list[Actor]) -> None:
    """Add the finding for an interleaving that cannot go on."""
    cores = [actor for actor in blocked if type(actor) is Core]
    total = machine.ranks * max((core.programs for core in cores), default=machine.cores_per_rank)
    if not cores:
        hosts = ", ".join(f"rank {a.rank} in {a.waits}" for a in blocked if isinstance(a, Host))
        machine.findings.add("deadlock", f"no core is left, hosts are blocked: {hosts}", None, None, None, hosts)
        return
    groups: dict[int, list[Core]] = {}
    for core in cores:
        groups.setdefault(core.waits.site, []).append(core)
    parts = []
    for site, members in sorted(groups.items(), key=lambda group: machine.sites.line(group[0]) or 0):
        shown = "; ".join(_one(machine, core) for core in members[:SHOWN])
        more = f"; and {len(members) - SHOWN} more" if len(members) > SHOWN else ""
        parts.append(f"{machine.sites.words(site)}: {shown}{more}")
    first = min(cores, key=lambda core: (core.rank, core.pid))
    text = f"{len(cores)} of {total} cores blocked. " + ". ".join(parts)
    lines = tuple(sorted({machine.sites.line(site) or 0 for site in groups}))
    machine.findings.add("deadlock", text, first.rank, first.pid, machine.sites.line(first.waits.site), lines)


def _one(machine: Machine, core: Core) -> str:
    waits: Any = core.waits
    name = f"rank {core.rank} core {core.pid}"
    if isinstance(waits, AtBarrier):
        return f"{name} waits in the barrier for {machine.missing_in_barrier(core)} other cores"
    assert isinstance(waits, Waiting)
    pointer = waits.pointer
    memory = pointer.span.allocation.memory[pointer.rank]
    found = "freed"
    if memory is not None:
        found = str(np.ndarray((), f"i{pointer.element.itemsize}", memory, waits.byte))
    writer = "last writer: nobody"
    if machine.order and waits.word.writer:
        writer = f"last writer: {machine.order.describe(waits.word.writer)}"
    elif waits.word.told is not None:
        rank, pid, site = waits.word.told
        writer = f"last writer: rank {rank} core {pid} ({machine.sites.words(site)})"
    elif not machine.order:
        writer = "nobody has notified it"
    place = pointer.span.place(waits.byte, pointer.rank)
    return f"{name} waits for {place} to be {waits.wanted}, it is {found}; {writer}"
