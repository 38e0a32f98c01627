"""What copies by a GPU's copy engine take, and which of several links is the fastest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineCosts:
    """What a launch whose data the copy engine moves takes: `start` microseconds for all around the copies (entry and
    exit kernel, fork and join), and bytes to other ranks at `rate`, in bytes a microsecond, to all of them together."""

    start: float
    rate: float

    def time(self, remote_bytes: int) -> float:
        """Microseconds of a launch, as a prediction."""
        return self.start + remote_bytes / self.rate


def fastest(times: Mapping[str, float]) -> str:
    """The name with the least time; of several the first, so that all ranks take the same one."""
    return min(times, key=lambda name: times[name])
