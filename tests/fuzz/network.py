"""Schedules at random whose data NVSHMEM puts: packed in symmetric memory, to ranks of any number of nodes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.fuzz.exchanges import with_peer
from tests.fuzz.load_store import block, tile, unblocked
from tests.fuzz.parts import Buffer, Exchange, Move, Phase, Role, Schedule

# More ranks than a node has, now and then.
RANKS = ((2, 16), (3, 64), (9, 12), (2, 128))
# Ready, free and rounds of puts; an output has no second half for the launch after.
OUT = (
    ("notify per block", "credit per peer", "epoch"),
    ("notify per peer", "credit per peer", "epoch"),
    ("notify per block", "none", "reset"),
    ("notify per peer", "none", "reset"),
)
STAGED = (*OUT, ("notify per block", "none", "epoch"), ("notify per peer", "none", "epoch"))


def far(choice: Random, made: Exchange) -> Exchange:
    """The exchange, now and then among more ranks than loads and stores reach."""
    if choice.random() < 0.7:
        return made
    low, high = choice.choice(RANKS)
    return replace(made, ranks=(low, high), case={**made.case, "W": low})


def network(choice: Random, made: Exchange, name: str, target: str) -> Schedule:
    """Packed by loads and stores; put in slabs, blocks or runs; to the outputs, or by a buffer of the receiver."""
    straight = choice.random() < 0.4
    outermost = made.result[0][0] == "from"
    order = [axis for group in made.result for axis in group if axis != "from"] if straight else made.order
    split = choice.random() < 0.3 or (straight and not outermost)
    blocked = block(choice, made) if choice.random() < 0.7 else None
    if blocked is not None and not split:
        # A block of a slab is then one run of memory.
        blocked = order[0], blocked[1]
    ready, free, rounds = choice.choice(OUT if straight else STAGED)
    ready = unblocked(ready, blocked, "notify per peer")
    sender, packer, reader, roles = _roles(choice)
    if packer == reader and ready.endswith("peer"):
        # The same cores would read their first block when all have packed their last one.
        blocked = None
    if not split and choice.random() < 0.6:
        # One request carries all that is announced, and so the word as well.
        ready = ready.replace("notify", "signal")
    packed = _staging(choice, made, "K", "to", order, None if ready.endswith("peer") else blocked, split)
    landing = _staging(choice, made, "P", "from", order, blocked if ready.endswith("block") else None, split)
    moved = tile(choice, made, blocked)
    own, also = choice.choice((("A", "others"), ("A", "others"), ("K", "all")))
    units = ("notify per peer", "notify per tile", *(("notify per block",) if blocked else ()))
    if packed.slots is not None or (packer == reader and blocked):
        units = units[1:]
    kept = Move(own, "C", "self")
    received = () if straight else (Move("P", "C", "others"),)
    return Schedule(
        target=target,
        name=name,
        cores=choice.choice((8, 32, 40, 132)) if choice.random() < 0.2 and made.ranks[1] < 9 else None,
        block=blocked,
        buffers=(packed,) if straight else (packed, landing),
        placed=("C",) if straight else (),
        roles=roles,
        phases=(
            Phase("pack", packer, (Move("A", "K", also),), "ldst", moved, choice.choice(units)),
            Phase(
                "exchange",
                sender,
                (Move("K", "C" if straight else "P", "others"),),
                _link(choice, split, ready),
                None,
                ready,
                free,
                staggered=choice.random() < 0.2,
            ),
            Phase(
                "gather",
                reader,
                (*received, kept),
                "ldst",
                moved if choice.random() < 0.5 else tile(choice, made, blocked),
            ),
        ),
        rounds=rounds,
    )


def _link(choice: Random, split: bool, ready: str) -> str:
    completes = ("complete each", "complete end") if ready.startswith("signal") else ("complete each",)
    options = [*(["split"] if split else []), *([choice.choice(completes)] if choice.random() < 0.5 else [])]
    return f"put({', '.join(options)})" if options else "put"


def _staging(
    choice: Random, made: Exchange, name: str, peer: str, order: list[str], blocked: tuple[str, int] | None, split: bool
) -> Buffer:
    """Where puts read or land. Single runs may lie anywhere, whole slabs in one piece, which may be aligned; slots
    where each block has its own, as nothing frees one."""
    axes = [peer, *order]
    if split and choice.random() < 0.6:
        axes = with_peer(choice, peer, choice.sample(order, len(order)))
    align = choice.choice((16, 64, 128, 512)) if axes[0] == peer and choice.random() < 0.2 else None
    slots = -(-made.dims[blocked[0]][1] // blocked[1]) if blocked else 0
    return Buffer(name, tuple(axes), True, slots if 0 < slots < 9 and choice.random() < 0.3 else None, align=align)


def _roles(choice: Random) -> tuple[str, str, str, tuple[Role, ...]]:
    """Who puts, who packs and who gathers, with the statements of the roles."""
    kind = choice.choice(("even", "odd", "all"))
    if kind == "all" and choice.random() < 0.4:
        return "worker", "worker", "worker", (Role("worker", "all"),)
    other = {"even": "odd", "odd": "even", "all": ""}[kind]
    share = "one per peer" if kind == "all" or choice.random() < 0.6 else ""
    roles = [Role("sender", kind, share)]
    if share and (kind == "all" or choice.random() < 0.5):
        roles.append(Role("packer", kind, "rest of sender"))
    if other:
        roles.append(Role("reader", other))
    names = [role.name for role in roles[1:]]
    return "sender", choice.choice(names), choice.choice(names), tuple(roles)
