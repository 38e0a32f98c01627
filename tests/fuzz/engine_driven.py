"""Schedules at random whose data an engine moves: puts of the RDMA engine, and copies that the host issues."""

from __future__ import annotations

from random import Random

from tests.fuzz.load_store import block, cores, slab, tile
from tests.fuzz.parts import Buffer, Exchange, Move, Phase, Role, Schedule

PUTS = (
    ("notify per block", "none", "reset"),
    ("notify per peer", "none", "reset"),
    ("barrier", "none", "reset"),
    ("barrier", "none", "epoch"),
    ("notify per block", "none", "epoch"),
    ("notify per peer", "none", "epoch"),
    ("notify per block", "credit per peer", "epoch"),
    ("notify per peer", "credit per peer", "epoch"),
)
PER_PEER = Role("sender", "even", "one per peer")
FILLER = Role("filler", "even", "rest of sender")
READER = Role("reader", "odd")


def puts(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """By the RDMA engine for the other ranks, packed first, split or neither; the own slab directly or staged."""
    packed = made.strided or choice.random() < 0.4
    split = not packed and (not made.slabs_outermost or choice.random() < 0.2)
    # The axis that a block of a slab is cut along lies outermost in the slab, so that the block is one run of memory.
    axis = choice.choice(made.axes) if split else made.order[0]
    size = choice.choice((1, 2, 3, 4, 8))
    blocked = (axis, size) if choice.random() < 0.8 else None
    ready, free, rounds = choice.choice(PUTS if blocked else tuple(p for p in PUTS if "block" not in p[0]))
    staged = blocked is not None and not packed and choice.random() < 0.4 and (ready == "barrier" or rounds == "reset")
    buffers = [Buffer("P", slab(made, choice, "from", contiguous=not split), symmetric=True)]
    phases = []
    moved = tile(choice, made, blocked)
    if packed:
        buffers.append(Buffer("K", slab(made, choice, "to", contiguous=True)))
        units = ["notify per peer", "notify per tile", *(["notify per block"] if blocked else [])]
        credit = choice.choice((free, "none"))
        phases.append(Phase("pack", "filler", (Move("A", "K", "others"),), "mte", moved, choice.choice(units), credit))
    link = "udma(split)" if split else "udma"
    phases.append(Phase("exchange", "sender", (Move("K" if packed else "A", "P", "others"),), link, None, ready, free))
    if staged:
        over = "P" if choice.random() < 0.7 and buffers[0].axes[:2] == ("from", axis) else None
        axes = tuple(a for a in buffers[0].axes if a != "from") if over else slab(made, choice, None)
        buffers.append(Buffer("L", axes, slots=choice.choice((2, 2, 3)), overlay=over))
        say = ("barrier", "barrier") if ready == "barrier" else ("notify per tile", "credit per tile")
        phases.append(Phase("loopback", "filler", (Move("A", "L", "self"),), "mte", moved, *say))
    read = moved if staged or choice.random() < 0.5 else tile(choice, made, blocked)
    own = Move("L" if staged else "A", "C", "self")
    phases.append(Phase("gather", "reader", (Move("P", "C", "others"), own), "mte", read))
    return Schedule(
        target=target,
        name=name,
        cores=choice.choice((16, 24, 32, 40)) if choice.random() < 0.2 else None,
        block=blocked,
        buffers=tuple(buffers),
        roles=(PER_PEER, FILLER, READER) if packed or staged else (PER_PEER, READER),
        phases=tuple(phases),
        rounds=rounds,
    )


def puts_straight(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """By the RDMA engine straight into the peers' outputs, a request for each run."""
    ready, free, rounds = choice.choice([p for p in PUTS if p[1] != "none" or p[2] == "reset" or p[0] == "barrier"])
    blocked = block(choice, made) if "block" in ready or choice.random() < 0.3 else None
    return Schedule(
        target=target,
        name=name,
        cores=cores(choice),
        block=blocked,
        placed=("C",),
        roles=(PER_PEER, READER),
        phases=(
            Phase("send", "sender", (Move("A", "C", "others"),), "udma(split)", None, ready, free),
            Phase("keep", "reader", (Move("A", "C", "self"),), "mte", tile(choice, made, blocked)),
        ),
        rounds=rounds,
    )


def hosted(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """Copies of the copy engine that the host issues, in one phase or with the own slab in another."""
    free, rounds = choice.choice((("credit per peer", "epoch"), ("none", "reset")))
    apart = choice.random() < 0.4
    send = Phase(
        "send",
        "mover",
        (Move("A", "C", "others" if apart else "all"),),
        "ce",
        ready="notify per peer",
        free=free,
        staggered=choice.random() < 0.5,
    )
    keep = (Phase("keep", "mover", (Move("A", "C", "self"),), "ce"),) if apart else ()
    return Schedule(
        target=target,
        name=name,
        cores=choice.choice((1, 2, 4)) if choice.random() < 0.3 else None,
        block=block(choice, made) if choice.random() < 0.2 else None,
        placed=("C",),
        roles=(Role("mover", "host"),),
        phases=(*keep, send) if choice.random() < 0.5 else (send, *keep),
        rounds=rounds,
    )


def options(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """Queues, batches, relays, signals and flags, packed and gathered by the cores."""
    chosen = choice.sample(
        ("qps 2", "qps 4", "split", "submit batch 8", "complete each", "relay next"), choice.randrange(3)
    )
    flagged = choice.random() < 0.3
    several = "split" in chosen or "submit batch 8" in chosen
    if "relay next" in chosen:
        chosen = [option for option in chosen if not option.startswith("qps")]
    if "qps 2" in chosen and "qps 4" in chosen:
        chosen.remove("qps 4")
    ready = (
        "flag" if flagged else "notify per block" if several else choice.choice(("signal per block", "signal per peer"))
    )
    axis = made.order[0]
    rounds = choice.choice(("reset", "epoch"))
    free = "credit per peer" if rounds == "epoch" and choice.random() < 0.5 else "none"
    moved = tile(choice, made, (axis, 4))
    align = choice.choice((None, None, 512)) if not flagged else None
    return Schedule(
        target=target,
        name=name,
        emit=choice.choice(("ascendc", "ascendc", "triton_dist")) if not chosen and not flagged else "ascendc",
        block=(axis, 4),
        buffers=(
            Buffer("K", slab(made, choice, "to", contiguous=True), flagged=flagged),
            Buffer("P", slab(made, choice, "from", contiguous=True), symmetric=True, flagged=flagged, align=align),
        ),
        roles=(PER_PEER, FILLER, READER),
        phases=(
            Phase("pack", "filler", (Move("A", "K", "others"),), "mte", moved, "notify per block"),
            Phase(
                "exchange",
                "sender",
                (Move("K", "P", "others"),),
                f"udma({', '.join(chosen)})" if chosen else "udma",
                None,
                ready,
                free,
            ),
            Phase("gather", "reader", (Move("P", "C", "others"), Move("A", "C", "self")), "mte", moved),
        ),
        rounds=rounds,
    )
