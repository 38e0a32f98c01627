"""The host side of a rank: its program, its streams, and what orders them."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from a2agen.engines.cpu.errors import KernelError
from a2agen.engines.cpu.machine import Core, Machine
from a2agen.engines.cpu.memory import Allocation
from a2agen.engines.cpu.order import Clock, Thread, join
from a2agen.engines.cpu.scheduler import Actor
from a2agen.engines.cpu.tensors import Change, Tensor


class Device:
    """The device of a rank, equal to itself alone."""

    __slots__ = ("rank",)

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __repr__(self) -> str:
        return f"cpu engine, rank {self.rank}"


class Stream(Actor):
    """Runs what a host queues, one after the other."""

    __slots__ = ("busy", "clock", "pending", "queue", "thread", "waiting_host")

    def __init__(self, rank: int, number: int, clock: Clock) -> None:
        super().__init__(rank, daemon=True)
        self.clock = clock
        self.thread = Thread(number, clock)
        self.queue: deque[tuple[Callable[[], None], Clock]] = deque()
        # Cores of the running kernel that have not ended.
        self.pending = 0
        self.busy = False
        self.waiting_host: Actor | None = None

    def advance(self) -> None:
        """What was done so far comes before what is done next, and before what waits for the stream."""
        self.clock[self.thread.number] = self.thread.epoch
        self.thread.epoch += 1


class Event:
    """A place in a stream that others wait for: what came before it, once it is `done`."""

    __slots__ = ("clock", "done", "waiters")

    def __init__(self) -> None:
        self.done = False
        self.clock: Clock | None = None
        self.waiters: list[Stream] = []


class Meeting:
    """What the hosts share: symmetric allocations in order, and the host barrier."""

    def __init__(self) -> None:
        self.symmetric: list[Allocation] = []
        self.here: list[Host] = []


class Host(Actor):
    """A rank's host program and its streams: the current one, and those beside it."""

    __slots__ = ("clock", "device", "machine", "meeting", "side", "stream", "symmetric_count")

    def __init__(self, rank: int, machine: Machine, meeting: Meeting) -> None:
        super().__init__(rank)
        self.machine = machine
        self.meeting = meeting
        self.device = Device(rank)
        width, first = (machine.order.threads, machine.order.first_stream) if machine.order else (0, 0)
        self.clock = np.zeros(width, np.int32)
        self.stream = Stream(rank, first + rank, np.zeros(width, np.int32))
        self.side: list[Stream] = []
        self.symmetric_count = 0
        machine.scheduler.spawn(self.stream, lambda: self._run_stream(self.stream))

    # -- the streams

    def side_stream(self) -> Stream:
        """A new stream beside the current one. Raises KernelError where the rank has as many as there are ranks."""
        machine, number = self.machine, len(self.side)
        if number == machine.ranks:
            raise KernelError(f"more than {number} side streams: the cpu engine has one for each rank")
        first, width = (machine.order.first_side, machine.order.threads) if machine.order else (0, 0)
        stream = Stream(self.rank, first + self.rank * machine.ranks + number, np.zeros(width, np.int32))
        self.side.append(stream)
        machine.scheduler.spawn(stream, lambda: self._run_stream(stream))
        return stream

    def record(self, event: Event, stream: Stream) -> None:
        """Queue an event on a stream."""

        def work() -> None:
            if self.machine.order:
                stream.advance()
            event.clock = stream.clock.copy()
            event.done = True
            for waiter in event.waiters:
                self.machine.scheduler.ready(waiter)

        self.enqueue(work, stream)

    def wait_for(self, event: Event, stream: Stream) -> None:
        """Let a stream go on after an event of another one."""

        def work() -> None:
            if not event.done:
                event.waiters.append(stream)
                self.machine.scheduler.block("event")
            join(stream.clock, event.clock)

        self.enqueue(work, stream)

    def enqueue(self, work: Callable[[], None], stream: Stream | None = None) -> None:
        """Put work on a stream, the current one where none is given; the host goes on."""
        stream = stream or self.stream
        stream.queue.append((work, self.clock.copy()))
        if stream.waits == "work":
            stream.waits = None
            self.machine.scheduler.ready(stream)
        self.machine.scheduler.pause()

    def _run_stream(self, stream: Stream) -> None:
        scheduler = self.machine.scheduler
        while True:
            while not stream.queue:
                stream.busy = False
                if stream.waiting_host is not None:
                    scheduler.ready(stream.waiting_host)
                    stream.waiting_host = None
                scheduler.block("work")
            stream.busy = True
            work, clock = stream.queue.popleft()
            scheduler.pause()
            join(stream.clock, clock)
            work()

    def on_stream(self, tensor: Tensor, change: Change, reads: bool, writes: bool, name: str) -> None:
        """Queue an operation on a tensor's elements."""
        frame = sys._getframe(2)
        while frame.f_back is not None and frame.f_code.co_filename.endswith("tensors.py"):
            frame = frame.f_back
        self.queue_access(tensor, change, reads, writes, f"{name} at line {frame.f_lineno} of the launcher")

    def queue_access(self, tensor: Tensor, change: Change, reads: bool, writes: bool, site: str) -> None:
        """Queue something that reads or writes a tensor, `site` in words."""

        def work() -> None:
            allocation, rank = tensor.allocation, tensor.rank
            if allocation.memory[rank] is None:
                raise KernelError(f"{site}: the tensor was freed")
            order = self.machine.order
            # A tensor without elements, such as the words of a role without cores, has no access to check.
            if order and 0 not in tensor.shape:
                access = self.stream.thread.at(self.machine.sites.named(site))
                if reads:
                    order.read(tensor.span(), rank, tensor.region(), tensor.offset, access)
                if writes:
                    order.write(tensor.span(), rank, tensor.region(), tensor.offset, access)
                self.stream.advance()
            change(tensor.elements())
            if writes and allocation.waiters:
                self.machine.wake(allocation, rank)

        self.enqueue(work)

    def launch(self, body: Callable[[], Any], programs: int) -> None:
        """Queue a kernel of `programs` cores."""
        machine, stream = self.machine, self.stream
        if not 1 <= programs <= machine.cores_per_rank:
            raise KernelError(f"a launch of {programs} programs: Exchange.cores allows 1 to {machine.cores_per_rank}")

        def work() -> None:
            machine.launches[self.rank] += 1
            machine.lead = max(machine.lead, machine.launches[self.rank] - min(machine.launches))
            if machine.order:
                stream.advance()
            stream.pending = programs
            for core in machine.cores[self.rank][:programs]:
                core.done = False
                core.programs = programs
                core.turns = 0
                core.negative = None
                join(core.clock, stream.clock)
                join(core.control, stream.clock)
                # What the stream has done is there for other ranks before a kernel starts.
                core.fenced = core.control.copy()
                machine.scheduler.spawn(core, lambda core=core: self._run_core(core, body))  # type: ignore[misc]
            machine.scheduler.block("kernel")

        self.enqueue(work)

    def _run_core(self, core: Core, body: Callable[[], Any]) -> None:
        body()
        machine, stream = self.machine, self.stream
        machine.meet(core)
        machine.settle_tokens(core, ended=True)
        if machine.order:
            core.publish(core.thread)
            join(stream.clock, core.control)
        stream.pending -= 1
        if not stream.pending:
            machine.scheduler.ready(stream)

    # -- the host

    def synchronize(self) -> None:
        """Block this host until its stream is empty."""
        stream, scheduler = self.stream, self.machine.scheduler
        scheduler.pause()
        if stream.queue or stream.busy:
            stream.waiting_host = self
            scheduler.block("synchronize")
        join(self.clock, stream.clock)

    def barrier(self) -> None:
        """Block this host until all hosts are here."""
        here, scheduler = self.meeting.here, self.machine.scheduler
        scheduler.pause()
        here.append(self)
        if len(here) < self.machine.ranks:
            scheduler.block("host barrier")
            return
        joined = np.maximum.reduce([host.clock for host in here])
        for host in here:
            host.clock[:] = joined
            if host is not self:
                scheduler.ready(host)
        here.clear()
