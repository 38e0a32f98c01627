"""The engine of the plan interpreter: requests in queues, which arrive late, in pieces and in any order.

A request reads its source when its pieces travel, not when it is made, so what overwrites a source too early is seen.
Pieces of one request arrive in any order, a piece of a flagged memory with its flag; its signal comes after all of
them. Requests are in no order to each other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Queue = tuple[int, int, int]
ready: Callable[[], bool] = lambda: True  # noqa: E731


class QueueError(Exception):
    """A queue was used as no queue may be used."""


@dataclass(slots=True)
class Request:
    """`pieces` each bring a part of the data when they are called, `signal` sets the word behind them."""

    pieces: list[Callable[[], None]]
    signal: Callable[[], None] | None


@dataclass(slots=True)
class Engine:
    """The queues of all ranks; `start` hands over something that runs beside the cores."""

    random: random.Random
    start: Callable[[Iterator[Callable[[], bool]]], None]
    travelling: dict[Queue, int] = field(default_factory=dict)
    deferred: dict[Queue, list[Request]] = field(default_factory=dict)
    owners: dict[Queue, int] = field(default_factory=dict)

    def submit(self, queue: Queue, core: int, request: Request, submission: str) -> None:
        """Take a request; `defer` leaves it until another one of its queue submits it."""
        if self.owners.setdefault(queue, core) != core:
            raise QueueError(f"queue {queue} has requests of cores {self.owners[queue]} and {core}")
        self.travelling[queue] = self.travelling.get(queue, 0) + 1
        held = self.deferred.setdefault(queue, [])
        held.append(request)
        if submission == "now" and len(held) > 1:
            raise QueueError(f"queue {queue} has deferred requests, and another one comes by itself")
        if submission != "defer":
            for one in held:
                self.start(self._travel(queue, one))
            held.clear()

    def empty(self, queue: Queue) -> bool:
        """Whether all requests of a queue are complete."""
        return not self.travelling.get(queue)

    def end_launch(self, rank: int) -> None:
        """The kernel of a rank has ended, and so nothing of it may be on its way. Queues are free for other cores."""
        late = [queue for queue, count in self.travelling.items() if queue[0] == rank and count]
        if late:
            raise QueueError(f"a kernel ends, and requests of queues {late} are on their way")
        self.owners = {queue: core for queue, core in self.owners.items() if queue[0] != rank}

    def _travel(self, queue: Queue, request: Request) -> Iterator[Callable[[], bool]]:
        pieces = list(request.pieces)
        self.random.shuffle(pieces)
        for _ in range(self.random.randrange(8)):
            yield ready
        for piece in pieces:
            piece()
            yield ready
        if request.signal is not None:
            request.signal()
            yield ready
        self.travelling[queue] -= 1
