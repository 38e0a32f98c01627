"""Schedules at random whose cores load and store: staged at the receiver, straight into the outputs, in chains."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from tests.fuzz.exchanges import with_peer
from tests.fuzz.parts import Buffer, Exchange, Move, Phase, Role, Schedule

LINKS = {"ascend910b": "mte", "ascend910c": "mte", "ascend950": "mte", "h200": "ldst"}
ONCE = (
    ("notify per tile", "none", "reset"),
    ("notify per block", "none", "reset"),
    ("notify per peer", "none", "reset"),
    ("notify per tile", "none", "epoch"),
    ("notify per block", "none", "epoch"),
    ("notify per peer", "none", "epoch"),
    ("notify per tile", "credit per peer", "epoch"),
    ("notify per block", "credit per peer", "epoch"),
    ("notify per peer", "credit per peer", "epoch"),
    ("barrier", "none", "reset"),
    ("barrier", "none", "epoch"),
)
AGAIN = (
    ("notify per tile", "credit per tile", "reset"),
    ("notify per tile", "credit per tile", "reset"),
    ("notify per tile", "credit per tile", "epoch"),
    ("notify per tile", "credit per tile", "epoch"),
    ("barrier", "barrier", "reset"),
    ("barrier", "barrier", "epoch"),
)
OUT = tuple(p for p in ONCE if p[1] != "none" or p[2] == "reset" or p[0] == "barrier")
Roles = tuple[str, str, tuple[Role, ...]]


def _there(ways: tuple[tuple[str, str, str], ...], target: str) -> tuple[tuple[str, str, str], ...]:
    """Without barriers on a GPU, which has none of all cores."""
    return tuple(way for way in ways if target != "h200" or way[0] != "barrier")


def cores(choice: Random) -> int | None:
    """A number of cores, pairs of them; mostly the profile's."""
    return choice.choice((4, 8, 16, 24, 32, 40)) if choice.random() < 0.3 else None


def block(choice: Random, made: Exchange) -> tuple[str, int]:
    axis = max(made.axes, key=lambda a: made.dims[a][1]) if choice.random() < 0.8 else choice.choice(made.axes)
    return axis, choice.choice((1, 2, 3, 4, 4, 6, 8))


def tile(choice: Random, made: Exchange, blocked: tuple[str, int] | None) -> dict[str, int]:
    """A tile over one axis or more; along the block axis it divides the block."""
    sizes = {}
    for axis in choice.sample(made.axes, choice.randrange(1, min(3, len(made.axes)) + 1)):
        fits = [n for n in (1, 2, 4, 8, 16, 64) if blocked is None or axis != blocked[0] or blocked[1] % n == 0]
        sizes[axis] = choice.choice(fits)
    return sizes


def slab(made: Exchange, choice: Random, peer: str | None, contiguous: bool = False) -> tuple[str, ...]:
    """The layout of a buffer: of all slabs along `peer`, or of the own slab; `contiguous` puts slabs outermost."""
    names = made.order
    if not contiguous and choice.random() < 0.3:
        choice.shuffle(names)
    if peer is None:
        return tuple(names)
    return (peer, *names) if contiguous else tuple(with_peer(choice, peer, names))


def unblocked(ready: str, blocked: tuple[str, int] | None, instead: str) -> str:
    """What is announced where there are no blocks."""
    return instead if blocked is None and "block" in ready else ready


def _pair(choice: Random, target: str) -> Roles:
    """A writing and a reading role, with their statements."""
    if (target == "h200" and choice.random() < 0.8) or choice.random() < 0.1:
        return "worker", "worker", (Role("worker", "all"),)
    writer, reader = choice.choice((("even", "odd"), ("even", "odd"), ("even", "odd"), ("odd", "even")))
    return "sender", "reader", (Role("sender", writer), Role("reader", reader))


def _shares(choice: Random, apart: bool) -> tuple[Move, ...] | None:
    return None if not apart else (Move("A", "C", "self"),) if choice.random() < 0.7 else ()


def staged(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """Into a buffer of the receiver, and on to the output; the own slab now and then goes there by itself."""
    link = LINKS[target]
    blocked = block(choice, made) if choice.random() < 0.8 else None
    slots = None
    if blocked is not None and choice.random() < 0.6:
        ready, free, rounds = choice.choice(_there(AGAIN, target))
        slots = choice.choice((2, 2, 3) if ready == "barrier" else (1, 2, 2, 3))
    else:
        ready, free, rounds = choice.choice(_there(ONCE, target) + (AGAIN[:4] if blocked else ()))
        ready = unblocked(ready, blocked, "notify per tile")
    writer, reader, roles = _pair(choice, target)
    written = tile(choice, made, blocked)
    same = free == "credit per tile" or choice.random() < 0.5
    apart = choice.random() < 0.3
    align = choice.choice((64, 512)) if choice.random() < 0.1 else None
    axes = slab(made, choice, "from", contiguous=align is not None)
    moves = (Move("P", "C", "others"), Move("A", "C", "self")) if apart else (Move("P", "C"),)
    if apart and choice.random() < 0.3:
        moves = moves[::-1]
    return Schedule(
        target=target,
        name=name,
        cores=cores(choice),
        block=blocked,
        buffers=(Buffer("P", axes, symmetric=True, slots=slots, align=align),),
        roles=roles,
        phases=(
            Phase(
                "send",
                writer,
                (Move("A", "P", "others" if apart else "all"),),
                link,
                written,
                ready,
                free,
                staggered=choice.random() < 0.3,
            ),
            Phase("read", reader, moves, link, written if same else tile(choice, made, blocked)),
        ),
        rounds=rounds,
    )


def straight(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """Straight into the peers' outputs."""
    blocked = block(choice, made) if choice.random() < 0.4 else None
    ready, free, rounds = choice.choice(_there(OUT, target))
    moves = (Move("A", "C"),)
    if choice.random() < 0.3:
        moves = (Move("A", "C", "others"), Move("A", "C", "self"))
        moves = moves[::-1] if choice.random() < 0.5 else moves
    return Schedule(
        target=target,
        name=name,
        cores=cores(choice),
        block=blocked,
        placed=("A", "C") if choice.random() < 0.1 and not made.strided else ("C",),
        roles=(Role("mover", choice.choice(("all", "all", "even", "odd"))),),
        phases=(
            Phase(
                "send",
                "mover",
                moves,
                LINKS[target],
                tile(choice, made, blocked),
                unblocked(ready, blocked, "notify per peer"),
                free,
                staggered=choice.random() < 0.5,
            ),
        ),
        rounds=rounds,
    )


def chosen(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """Straight into the peers' outputs, in tiles that the launcher chooses, and now and then by a link that it does."""
    link = LINKS[target] if made.strided or choice.random() < 0.6 else "auto"
    phase = Phase(
        "send",
        "mover",
        (Move("A", "C"),),
        link,
        None,
        "notify per peer",
        "credit per peer",
        staggered=choice.random() < 0.5,
    )
    return Schedule(
        target=target,
        name=name,
        cores=cores(choice),
        placed=("C",),
        roles=(Role("mover", "all"),),
        phases=(phase,),
        rounds="epoch",
    )


def chain(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """Three or four moves in a row, by buffers of the sender and of the receiver."""
    blocked = block(choice, made) if choice.random() < 0.7 else None
    rounds = choice.choice(("reset", "reset", "epoch"))
    packs, lands = choice.choice(((True, False), (False, True), (True, True)))
    stops = ["A", *(["K"] if packs else []), "P", *(["Q"] if lands else []), "C"]
    homes = {"K": ("to", False), "P": ("from", True), "Q": ("from", False)}
    moved = tile(choice, made, blocked)
    buffers, phases = [], []
    # A barrier a block announces one phase of a chain at most: the next one reads behind it.
    for stop in stops[1:-1]:
        peer, symmetric = homes[stop]
        slots = choice.choice((1, 2, 3)) if blocked is not None and choice.random() < 0.4 else None
        buffers.append(Buffer(stop, slab(made, choice, peer), symmetric, slots))
    slotted = {b.name: b.slots for b in buffers}
    barred = False
    parts = ["worker"] * 4 if target == "h200" else [choice.choice(("left", "right")) for _ in range(4)]
    for number, (source, stop) in enumerate(pairwise(stops)):
        ready = free = ""
        if stop != "C":
            rows = _there(AGAIN if slotted[stop] is not None else ONCE, target)
            fits = [
                (r, f) for r, f, n in rows if n == rounds and not (r == "barrier" and (barred or slotted[stop] == 1))
            ]
            ready, free = choice.choice(fits)
            barred = barred or ready == "barrier"
            ready = unblocked(ready, blocked, "notify per peer")
        phases.append(Phase(f"p{number}", parts[number], (Move(source, stop),), LINKS[target], moved, ready, free))
    roles = (Role("worker", "all"),) if target == "h200" else (Role("left", "even"), Role("right", "odd"))
    return Schedule(
        target=target,
        name=name,
        cores=cores(choice),
        block=blocked,
        buffers=tuple(buffers),
        roles=roles,
        phases=tuple(phases),
        rounds=rounds,
    )
