"""Specs for everything that Ascend C says of puts: queues, batches, relays, signals, flags, completion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

from a2agen.ir.model import Schedule
from a2agen.targets.profile import FlagBlock
from tests.passes.lower import matrix

READIES = ("signal per block", "signal per peer", "notify per block", "notify per peer", "barrier")
# What makes a protocol, with every `ready` but for a credit: that numbers launches, or is a signal's.
PROTOCOLS = (("none", "reset"), ("none", "epoch"), ("credit per peer", "epoch"))
SPLITS = (("S (to H) D", "S H D"), ("S H (to D)", "S H D"), ("H S (to D)", "H S D"))
OPTIONS = ("", "qps 3", "relay next", "complete each, qps 2", "submit batch 2")


def put(ready: str, free: str, rounds: str, options: str = "", block: bool = True) -> str:
    """Puts for the other ranks from the input; the own slab goes straight to the output."""
    return _ascendc(matrix.put(ready, free, rounds, ", one per peer", "", block), options)


def packed(pack: str, ready: str, free: str, rounds: str, options: str = "", block: bool = True) -> str:
    """Puts from a buffer in which other cores pack the slabs."""
    return _ascendc(matrix.packed(pack, ready, free, rounds, block), options)


def _ascendc(text: str, options: str) -> str:
    text = text.replace("emit triton_dist", "emit ascendc")
    # A relay needs a third rank.
    text = text.replace("ranks W in 2..5", "ranks W in 3..5") if "relay" in options else text
    return text.replace("link udma", f"link udma({options})") if options else text


def flagged(pack: str, free: str, rounds: str, options: str = "", block: bool = True) -> str:
    """Packs the slabs in flag blocks, and puts them with their flags."""
    text = packed(pack, "flag", free, rounds, options, block)
    text = text.replace("K : [to S H D]", "K : [to S H D] flagged").replace("symmetric", "symmetric flagged")
    return text.replace("tile S 2, D 4", "tile S 2, D 240")


def narrow(schedule: Schedule) -> Schedule:
    """The schedule with flag blocks of three elements and one of flag, so that small shapes have several in a row."""
    if not any(buffer.flagged for buffer in schedule.buffers):
        return schedule
    phases = []
    for phase in schedule.phases:
        sizes = tuple((axis, 3 if size == 240 else size) for axis, size in phase.tile.sizes) if phase.tile else ()
        phases.append(replace(phase, tile=replace(phase.tile, sizes=sizes)) if phase.tile else phase)
    target = replace(schedule.target, flag_block=FlagBlock(6, 2))
    return replace(schedule, target=target, phases=tuple(phases))


def split(ready: str, rounds: str, options: str, layouts: tuple[str, str]) -> str:
    """Puts run by run: what is contiguous on both sides is less than a slab."""
    text = put(ready, "none", rounds, options).replace("P : [from S H D]", f"P : [from {layouts[1]}]")
    return text.replace("A : bf16 [(to S) H D]", f"A : bf16 [{layouts[0]}]")


def texts() -> Iterator[tuple[str, str]]:
    """Combinations with a name, sound or not."""
    for ready, (free, rounds), options in product(READIES, PROTOCOLS, OPTIONS):
        # Without blocks there is none to announce.
        for block in (True, False)[: 1 if ready.endswith("block") else 2]:
            said = f"{ready}, {free}, {rounds}, udma({options}){'' if block else ' without blocks'}"
            yield f"put: {said}", put(ready, free, rounds, options, block)
    for ready, rounds in (("signal per block", "reset"), ("signal per peer", "epoch"), ("notify per block", "epoch")):
        for pack, options in product(("block", "tile"), ("", "qps 2", "complete each")):
            yield (
                f"packed per {pack}: {ready}, {rounds}, udma({options})",
                packed(f"notify per {pack}", ready, "none", rounds, options),
            )
    for (free, rounds), options in product(PROTOCOLS, ("", "qps 2", "complete each", "relay next")):
        for pack, block in (("block", True), ("tile", True), ("tile", False)):
            said = f"{free}, {rounds}, udma({options}){'' if block else ' without blocks'}"
            yield f"flags packed per {pack}: {said}", flagged(f"notify per {pack}", free, rounds, options, block)
    for ready, rounds in (("notify per block", "reset"), ("notify per peer", "epoch"), ("barrier", "epoch")):
        for batch, layouts in product(("", ", submit batch 3", ", submit batch 3, qps 2"), SPLITS):
            said = f"{layouts[0]} -> {layouts[1]}: {ready}, {rounds}, udma(split{batch})"
            yield f"split {said}", split(ready, rounds, f"split{batch}", layouts)


@cache
def sound() -> dict[str, Schedule]:
    """The combinations that lint has nothing against and that lower, by name."""
    return {name: narrow(schedule) for name, text in texts() for schedule in matrix.checked(text)}
