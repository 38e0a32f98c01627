"""Specs for everything that the language says of announcing, freeing and rounds, as far as it is sound and lowered."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.passes.lower.unlowered import unlowered
from a2agen.source import Source

# What may stand together at all; which of these is sound depends on the rest of the schedule.
CLAUSES = [
    ("barrier", "none"),
    ("barrier", "barrier"),
    ("notify per tile", "credit per tile"),
    *product(("notify per tile", "notify per block", "notify per peer"), ("none", "credit per peer")),
]
BUFFERS = (
    "[S (from H) D] symmetric per block slots 2",
    "[from S H D] symmetric per block slots 3",
    "[S (from H) D] symmetric",
    "[from S H D] symmetric",
)
ROUNDS = ("reset", "epoch")
LINKS = {"ascend910c": "mte", "ascend950": "mte", "h200": "ldst"}

EXCHANGE = """
exchange swap {
  ranks W in 2..5
  dim S in 1..40
  dim H in 1..4
  dim D in 1..20
  in A : bf16 [(to S) H D]
  out C : bf16 [S (from H) D]
  case odd { W = 3, S = 7, H = 2, D = 5 }
}
"""


def staged(target: str, ready: str, free: str, rounds: str, buffer: str, block: bool = True) -> str:
    """Stores into a buffer of the receiver, which its odd cores read."""
    link = LINKS[target]
    return f"""{EXCHANGE}
schedule one for swap {{
  target {target}
  emit triton_dist
  {"block S by 2" if block else ""}
  buffer P : {buffer}
  role sender : even
  role reader : odd
  phase send on sender {{
    move A -> P
    link {link}
    tile S 2, D 4
    ready {ready}
    free {free}
  }}
  phase read on reader {{
    move P -> C
    link {link}
    tile S 2, D 4
  }}
  rounds {rounds}
}}
"""


def straight(target: str, ready: str, free: str, rounds: str, block: bool = False) -> str:
    """Stores into the output of the receiver."""
    return f"""{EXCHANGE}
schedule one for swap {{
  target {target}
  emit triton_dist
  {"block S by 2" if block else ""}
  place C symmetric
  role mover : all
  phase send on mover {{
    move A -> C
    link {LINKS[target]}
    tile D 4
    order staggered
    ready {ready}
    free {free}
  }}
  rounds {rounds}
}}
"""


def hosted(free: str, rounds: str, split: bool = False, ready: str = "notify per peer") -> str:
    """Copies by the host into the output of the receiver; with `split` in a phase for the others and one for itself."""
    who = " for others" if split else ""
    keep = "phase keep on mover { move A -> C for self link ce }" if split else ""
    return f"""{EXCHANGE}
schedule one for swap {{
  target h200
  emit triton_dist
  place C symmetric
  role mover : host
  {keep}
  phase send on mover {{
    move A -> C{who}
    link ce
    {"" if split else "order staggered"}
    ready {ready}
    free {free}
  }}
  rounds {rounds}
}}
"""


def put(ready: str, free: str, rounds: str, role: str, loopback: str, block: bool = True) -> str:
    """Puts for the other ranks; the own slab goes straight to the output, or by an overlay."""
    overlay, filler, phase, own = "", "", "", "A"
    if loopback:
        overlay = "buffer L : [S H D] per block slots 2 overlay P[self]"
        filler = f"role filler : {loopback}"
        phase = f"""
  phase loopback on filler {{
    move A -> L for self
    link mte
    tile S 2, D 4
    {"ready barrier free barrier" if ready == "barrier" else "ready notify per tile free credit per tile"}
  }}"""
        own = "L"
    return f"""{EXCHANGE}
schedule one for swap {{
  target ascend950
  emit triton_dist
  {"block S by 2" if block else ""}
  buffer P : [from S H D] symmetric
  {overlay}
  role sender : even{role}
  {filler}
  role reader : odd
  phase exchange on sender {{
    move A -> P for others
    link udma
    ready {ready}
    free {free}
  }}{phase}
  phase gather on reader {{
    move P -> C for others
    move {own} -> C for self
    link mte
    tile S 2, D 4
  }}
  rounds {rounds}
}}
"""


def afar(ready: str, free: str, rounds: str, role: str, split: bool, block: bool = True) -> str:
    """Puts of a GPU, from where rows are packed; with `split` straight into the rows of the output, else by a buffer of
    the receiver."""
    into = "place C symmetric" if split else "buffer P : [from S H D] symmetric"
    gather = "" if split else "move P -> C for others"
    return f"""{EXCHANGE}
schedule one for swap {{
  target h200
  emit triton_dist
  {"block S by 2" if block else ""}
  buffer K : [to S H D] symmetric
  {into}
  role sender : {role}
  role packer : odd
  phase pack on packer {{
    move A -> K for others
    link ldst
    tile S 2, D 4
    ready {"notify per block" if block else "notify per peer"}
  }}
  phase exchange on sender {{
    move K -> {"C" if split else "P"} for others
    link put{"(split)" if split else ""}
    ready {ready}
    free {free}
  }}
  phase gather on packer {{
    {gather}
    move A -> C for self
    link ldst
    tile S 2, D 4
  }}
  rounds {rounds}
}}
"""


def packed(pack: str, ready: str, free: str, rounds: str, block: bool) -> str:
    """Packs the slabs of the other ranks, puts them, and unpacks them."""
    return f"""{EXCHANGE.replace("[(to S) H D]", "[S (to H) D]").replace("[S (from H) D]", "[(from S) H D]")}
schedule one for swap {{
  target ascend950
  emit triton_dist
  {"block S by 2" if block else ""}
  buffer K : [to S H D]
  buffer P : [from S H D] symmetric
  role sender : even, one per peer
  role packer : even, rest of sender
  role reader : odd
  phase pack on packer {{
    move A -> K for others
    link mte
    tile S 2, D 4
    ready {pack}
  }}
  phase exchange on sender {{
    move K -> P for others
    link udma
    ready {ready}
    free {free}
  }}
  phase gather on reader {{
    move P -> C for others
    move A -> C for self
    link mte
    tile S 2, D 4
  }}
  rounds {rounds}
}}
"""


SIGNALS = [*product(("signal per block", "signal per peer"), ("none", "credit per peer"))]


def texts() -> Iterator[tuple[str, str]]:
    """Every combination with a name, sound or not."""
    for (ready, free), rounds, block in product(SIGNALS, ROUNDS, (False, True)):
        for role in ("even", "even, one per peer"):
            name = f"afar{' by blocks' if block else ''}, {role}: {ready}, {free}, {rounds}"
            yield name, afar(ready, free, rounds, role, False, block)
    for (ready, free), rounds in product(CLAUSES, ROUNDS):
        said = f"{ready}, {free}, {rounds}"
        for target in LINKS:
            for buffer in BUFFERS if target != "ascend950" else BUFFERS[:1]:
                yield f"{target} staged {buffer}: {said}", staged(target, ready, free, rounds, buffer)
            unblocked = staged(target, ready, free, rounds, "[from S H D] symmetric", block=False)
            yield f"{target} staged without blocks: {said}", unblocked
            for block in (False, True):
                name = f"{target} straight{' by blocks' if block else ''}: {said}"
                yield name, straight(target, ready, free, rounds, block)
        for split, block, role in product((False, True), (False, True), ("even", "even, one per peer")):
            name = f"afar{' split' if split else ''}{' by blocks' if block else ''}, {role}: {said}"
            yield name, afar(ready, free, rounds, role, split, block)
        for split in (False, True):
            yield f"hosted{' in two phases' if split else ''}: {said}", hosted(free, rounds, split, ready)
        for block in (True, False):
            for role, loopback in ((", one per peer", ""), (", one per peer", "even, rest of sender")):
                if block or not loopback:
                    name = f"put{' and loopback' if loopback else ''}{'' if block else ' without blocks'}: {said}"
                    yield name, put(ready, free, rounds, role, loopback, block)
            for pack in ("barrier", "notify per block", "notify per peer", "notify per tile"):
                name = f"packed by {pack}{'' if block else ' without blocks'}: {said}"
                yield name, packed(pack, ready, free, rounds, block)


def checked(text: str) -> tuple[Schedule, ...]:
    """The schedules of a spec that has no error and lowers; none otherwise."""
    found = check(Source("swap.a2a", text))
    if any(f.severity is Severity.ERROR for f in found.findings):
        return ()
    return tuple(s for s in found.schedules if not unlowered(s))


@cache
def sound() -> dict[str, Schedule]:
    """The combinations that lint has nothing against and that lower, by name."""
    return {name: schedule for name, text in texts() for schedule in checked(text)}
