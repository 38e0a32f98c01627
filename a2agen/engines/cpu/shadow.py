"""What the checks remember of each byte: who wrote it last and who has read it since.

Kept for granules, not bytes: a granule starts coarse and all of an allocation's are split when an access first cuts
one, so the memory stays exact down to a byte and costs little where accesses are tiles.
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import NDArray

COARSEST = 512


class Shadow:
    """Entries of one allocation on one rank. `writers` holds the event that wrote a granule last, 0 for none;
    `readers` an event since then, the negative number of a set of them, or 0 for none."""

    __slots__ = ("grain", "readers", "writers")

    def __init__(self, nbytes: int) -> None:
        self.grain = COARSEST
        self.writers: NDArray[np.int32] = np.zeros(-(-nbytes // COARSEST), np.int32)
        self.readers: NDArray[np.int32] = np.zeros(-(-nbytes // COARSEST), np.int32)

    def fit(self, start: int, grain: int) -> int:
        """Split granules so that an access at `start`, all of whose parts are multiples of `grain`, cuts none."""
        wanted = gcd(self.grain, start, grain)
        if wanted != self.grain:
            parts = self.grain // wanted
            self.writers = np.repeat(self.writers, parts)
            self.readers = np.repeat(self.readers, parts)
            self.grain = wanted
        return wanted
