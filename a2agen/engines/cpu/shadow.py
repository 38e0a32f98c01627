"""What the checks remember of each byte: who wrote it last and who has read it since.

Kept for granules, not bytes: a granule starts coarse and all of an allocation's are split when an access first cuts
one, so the memory stays exact down to a byte and costs little where accesses are tiles.
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.typing import NDArray

COARSEST = 512
WRITER = 0xFFFFFFFF
READERS_SHIFT = 32


class Shadow:
    """Entries of one allocation on one rank, one for each `grain` bytes.

    The low half of an entry is the event that wrote last, 0 for none. The high half is an event that has read since,
    the negative number of a set of them, or 0 for none.
    """

    __slots__ = ("entries", "grain")

    def __init__(self, nbytes: int) -> None:
        self.grain = COARSEST
        self.entries: NDArray[np.int64] = np.zeros(-(-nbytes // COARSEST), np.int64)

    def fit(self, start: int, grain: int) -> int:
        """Split granules so that an access at `start`, all of whose parts are multiples of `grain`, cuts none."""
        wanted = gcd(self.grain, start, grain)
        if wanted != self.grain:
            self.entries = np.repeat(self.entries, self.grain // wanted)
            self.grain = wanted
        return wanted
