"""The state of a signal word that notifies and waits have touched."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Word:
    """A signal word.

    `clock` is what a wait for the present value comes after; `writer` the event that gave the value (0: none known),
    `adds` whether by adding, `near` whether released to
    its own rank alone; `readers` the events of waits that saw it; `waiters` the cores that wait for it. Runs
    without checks have no events: `told` is rank, core and place of the last notify.
    """

    __slots__ = ("adds", "clock", "index", "near", "observed", "readers", "told", "waiters", "writer")

    def __init__(self, index: int, writer: int, readers: list[int]) -> None:
        self.index = index
        self.writer = writer
        self.readers = readers
        self.clock: NDArray[np.int32] | None = None
        self.adds = False
        self.near = False
        self.told: tuple[int, int, int] | None = None
        # Nothing is lost when what was there before the first notify is overwritten.
        self.observed = True
        self.waiters: list[Any] = []
