"""Launches of many cores: as many as a GPU has programs, on several ranks."""

from __future__ import annotations

import gc

import greenlet
import pytest

from a2agen.engines.cpu.scheduler import Actor, Scheduler
from tests.engines.cpu.small import run, small

ACTORS = 2000


@pytest.mark.parametrize("seed", [0, 1])
def test_actors_that_start_one_another_do_not_deepen_the_stack(seed: int) -> None:
    scheduler = Scheduler(seed)
    actors = [Actor(0) for _ in range(ACTORS)]
    asleep: list[Actor] = []
    ran: list[int] = []

    def body(number: int) -> None:
        # Blocking starts the next actor from this one.
        asleep.append(actors[number])
        scheduler.block("the others")
        ran.append(number)

    def wake() -> bool:
        for actor in asleep:
            scheduler.ready(actor)
        woken = bool(asleep)
        asleep.clear()
        return woken

    for number, actor in enumerate(actors):
        scheduler.spawn(actor, lambda number=number: body(number))  # type: ignore[misc]
    assert scheduler.run(wake) == []
    assert sorted(ran) == list(range(ACTORS))


def test_a_deadlock_leaves_no_greenlet_behind() -> None:
    program = small('x = dl.consume_token(P, dl.wait(words, 1, "sys", "acquire", waitValue=1))')
    assert run(program, interleavings=50).deadlocks == 50
    gc.collect()
    alive = [g for g in gc.get_objects() if type(g) is greenlet.greenlet and g is not greenlet.getcurrent()]
    assert alive == []
