"""The random specs by number: what kind each is, and its bytes."""

from __future__ import annotations

from random import Random

from tests.fuzz.reword import reworded
from tests.fuzz.spoil import spoilt
from tests.fuzz.writer import spec

# In turn, so that any run of seeds has all of them.
_TURNS = ("sound", "reworded", "spoilt", "sound", "reworded", "spoilt", "sound", "reworded", "spoilt", "sound")
KINDS = tuple(dict.fromkeys(_TURNS))


def kind_of(seed: int) -> str:
    return _TURNS[seed % len(_TURNS)]


def text_of(seed: int) -> bytes:
    """The spec of a seed, the same on every machine."""
    text = spec(seed)
    match kind_of(seed):
        case "reworded":
            return reworded(text, Random(seed)).encode()
        case "spoilt":
            return spoilt(text, Random(seed))
    return text.encode()
