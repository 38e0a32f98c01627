"""The order in which hosts, streams and cores run: one greenlet each, a seed decides."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import Any

import greenlet  # type: ignore[import-untyped]

# Chance that a core goes on after an operation, and that a priority interleaving demotes the running core.
STAY = 0.5
DEMOTE = 0.02


class Actor:
    """Something that runs: a rank's host program, its stream, or a core. `waits` says in words what it waits for."""

    __slots__ = ("daemon", "done", "number", "priority", "rank", "task", "waits")

    def __init__(self, rank: int, daemon: bool = False) -> None:
        self.rank = rank
        self.daemon = daemon
        self.done = False
        self.number = 0
        self.priority = 0.0
        self.task: Any = None
        self.waits: Any = None


class Scheduler:
    """Runs actors one at a time. Even seeds take any runnable actor at each switch; odd seeds run the one of highest
    priority and demote at few random places (probabilistic concurrency testing), which finds rare orders sooner."""

    def __init__(self, seed: int, trace: list[int] | None = None) -> None:
        self.random = random.Random(seed)
        self.draw = self.random.random
        self.by_priority = seed % 2 == 1
        self.current: Any = None
        self.switches = 0
        self._hub = greenlet.getcurrent()
        self._runnable: list[Any] = []
        self._heap: list[tuple[float, int, Any]] = []
        self._count = 0
        self._lowest = 0.0
        self._first: Any = None
        self._alive: dict[Actor, None] = {}
        self._trace = trace
        self._spawned = 0

    def spawn(self, actor: Actor, body: Callable[[], None]) -> None:
        """Add an actor; it starts when it is chosen."""

        def run() -> None:
            body()
            actor.done = True
            del self._alive[actor]

        actor.task = greenlet.greenlet(run, parent=self._hub)
        actor.priority = self.draw()
        actor.number = self._spawned
        self._spawned += 1
        self._alive[actor] = None
        self.ready(actor)

    def ready(self, actor: Actor) -> None:
        """Make a blocked or new actor runnable."""
        if self.by_priority:
            self._count += 1
            heapq.heappush(self._heap, (-actor.priority, self._count, actor))
        else:
            self._runnable.append(actor)

    def pause(self) -> None:
        """A place where the running actor may lose its turn."""
        if self.by_priority:
            actor = self.current
            if self.draw() < DEMOTE:
                self._lowest -= 1.0
                actor.priority = self._lowest
            if self._heap and -self._heap[0][0] > actor.priority:
                self.ready(actor)
                self._switch(self._next())
        elif self.draw() >= STAY and self._runnable:
            # The running actor takes the place of the one that goes on.
            runnable = self._runnable
            place = int(self.draw() * len(runnable))
            actor = runnable[place]
            runnable[place] = self.current
            self._switch(actor)

    def block(self, waits: Any) -> None:
        """Take the running actor out until `ready` is called for it."""
        actor = self.current
        actor.waits = waits
        if self._runnable or self._heap:
            self._switch(self._next())
        else:
            self._hub.switch()
        actor.waits = None

    def run(self, idle: Callable[[], bool]) -> list[Actor]:
        """Run until all actors are done or none can go on; `idle` may make some runnable and says whether it did.

        Returns the actors that are blocked for good.
        """
        try:
            while True:
                while self._first or self._runnable or self._heap:
                    self._switch(self._next())
                if not idle():
                    return [actor for actor in self._alive if not actor.daemon]
        finally:
            self._unwind()

    def _next(self) -> Any:
        if self._first is not None:
            actor, self._first = self._first, None
            return actor
        if self.by_priority:
            return heapq.heappop(self._heap)[2]
        runnable = self._runnable
        place = int(self.draw() * len(runnable))
        actor = runnable[place]
        last = runnable.pop()
        if last is not actor:
            runnable[place] = last
        return actor

    def _switch(self, actor: Any) -> None:
        if actor is self.current and greenlet.getcurrent() is actor.task:
            return
        if not actor.task and self._hub is not greenlet.getcurrent():
            # A greenlet starts at the depth of the one that switches to it: started from one another, a few hundred
            # cores would reach the interpreter's limit of recursion.
            self._first = actor
            self._hub.switch()
            return
        self.switches += 1
        self.current = actor
        if self._trace is not None:
            self._trace.append(actor.number)
        actor.task.switch()

    def _unwind(self) -> None:
        """End what still runs, so that nothing of this interleaving stays behind."""
        for actor in list(self._alive):
            if actor.task and not actor.task.dead:
                actor.task.throw(greenlet.GreenletExit)
        self._alive.clear()
        self._runnable.clear()
        self._heap.clear()
