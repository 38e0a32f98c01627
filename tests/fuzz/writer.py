"""Writes specs at random, most of them sound: every layout, link, role and protocol that the language has.

What a spec is follows from its seed alone. One clause stands on a line, so that `reword` can change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from random import Random

LOAD_STORE = (("ascend910b", "mte"), ("ascend910c", "mte"), ("ascend950", "mte"), ("h200", "ldst"))
DTYPES = ("bf16", "f16", "f32", "i8", "i32", "i64")
AXES = ("S", "H", "D", "N", "B", "M")
# Bounds of a dim; the least of them matter as much as the largest.
RANGES = ((1, 1), (1, 2), (1, 3), (2, 5), (1, 16), (1, 33), (3, 64), (7, 7), (1, 128), (1, 1024), (5, 4096))
RANKS = ((2, 8), (2, 8), (2, 4), (2, 2), (3, 3), (3, 8), (2, 5), (5, 7))
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
    ("barrier", "barrier", "epoch"),
)
AGAIN = (
    ("notify per tile", "credit per tile", "reset"),
    ("notify per tile", "credit per tile", "epoch"),
    ("barrier", "barrier", "reset"),
    ("barrier", "barrier", "epoch"),
)
OUT = tuple(p for p in ONCE if p[1] != "none" or p[2] == "reset" or p[0] == "barrier")


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a schedule needs to know of an exchange: axes in the order of the input and of the output."""

    text: str
    dims: dict[str, tuple[int, int]]
    source: tuple[str, ...]
    result: tuple[str, ...]

    @property
    def axes(self) -> list[str]:
        return list(self.dims)


def spec(seed: int) -> str:
    """A spec of one exchange with one or two schedules."""
    choice = Random(seed)
    made = _exchange(choice)
    parts = [made.text]
    for number in range(1 if choice.random() < 0.8 else 2):
        family = choice.choice((_staged, _staged, _staged, _direct, _direct, _udma, _udma, _chain, _options))
        parts.append(family(choice, made, f"s{number}"))
    return "\n".join(parts)


def _exchange(choice: Random) -> Exchange:
    names = choice.sample(AXES, choice.choice((1, 1, 2, 2, 3, 3, 3, 4, 5)))
    dims = {name: choice.choice(RANGES) for name in names}
    if max(high for _, high in dims.values()) < 8:
        dims[names[0]] = (1, 64)
    low, high = choice.choice(RANKS)
    # Dispatch, combine, and any order of the axes on both sides.
    source = _insert(choice, "to", names if choice.random() < 0.7 else choice.sample(names, len(names)))
    result = _insert(choice, "from", names if choice.random() < 0.7 else choice.sample(names, len(names)))
    dtype = choice.choice(DTYPES)
    lines = [f"ranks W in {low}..{high}", *(f"dim {name} in {a}..{b}" for name, (a, b) in dims.items())]
    lines.append(f"where {' * '.join(names)} <= 2**{choice.randrange(20, 25)}")
    strided = " strided" if choice.random() < 0.1 else ""
    lines.append(f"in A : {dtype} {_layout(choice, source)}{strided}")
    lines.append(f"out C : {dtype} {_layout(choice, result)}")
    values = ", ".join(f"{name} = {choice.choice((a, min(a + 2, b)))}" for name, (a, b) in dims.items())
    lines.append(f"case small {{ W = {low}, {values} }}")
    return Exchange(_braces("exchange e", lines), dims, tuple(source), tuple(result))


def _insert(choice: Random, axis: str, names: list[str]) -> list[str]:
    at = 0 if choice.random() < 0.5 else choice.randrange(len(names) + 1)
    return [*names[:at], axis, *names[at:]]


def _layout(choice: Random, axes: list[str]) -> str:
    """A layout, now and then with neighbouring axes merged."""
    out = list(axes)
    if len(out) > 1 and choice.random() < 0.6:
        at = choice.randrange(len(out) - 1)
        out[at : at + 2] = [f"({out[at]} {out[at + 1]})"]
    return f"[{' '.join(out)}]"


def _braces(head: str, lines: list[str]) -> str:
    body = "\n".join("  " + line.replace("\n", "\n  ") for line in lines)
    return f"{head} {{\n{body}\n}}\n"


def _header(choice: Random, name: str, target: str, back_end: str = "triton_dist") -> tuple[str, list[str]]:
    lines = [f"target {target}", f"emit {back_end}"]
    if choice.random() < 0.2:
        lines.append(f"cores {choice.choice((16, 24, 32, 40))}")
    return f"schedule {name} for e", lines


def _block(choice: Random, made: Exchange) -> tuple[str, int]:
    axis = max(made.axes, key=lambda a: made.dims[a][1]) if choice.random() < 0.8 else choice.choice(made.axes)
    return axis, choice.choice((1, 2, 3, 4, 4, 6, 8))


def _tile(choice: Random, made: Exchange, block: tuple[str, int] | None) -> str:
    """A tile over one axis or more; along the block axis it divides the block."""
    sizes = {}
    for axis in choice.sample(made.axes, choice.randrange(1, min(3, len(made.axes)) + 1)):
        fits = [n for n in (1, 2, 4, 8, 16) if block is None or axis != block[0] or block[1] % n == 0]
        sizes[axis] = choice.choice(fits)
    return "tile " + ", ".join(f"{axis} {size}" for axis, size in sizes.items())


def _phase(name: str, role: str, clauses: list[str]) -> str:
    return _braces(f"phase {name} on {role}", [c for c in clauses if c]).rstrip("\n")


def _slab(made: Exchange, choice: Random, axis: str | None, contiguous: bool = False) -> str:
    """The layout of a buffer: of all slabs along `axis`, or of the own slab; `contiguous` puts slabs outermost."""
    names = [a for a in made.source if a != "to"]
    if not contiguous and choice.random() < 0.3:
        choice.shuffle(names)
    if axis is None:
        return f"[{' '.join(names)}]"
    return f"[{' '.join([axis, *names] if contiguous else _insert(choice, axis, names))}]"


def _roles(choice: Random, target: str) -> tuple[str, str, list[str]]:
    """A writing and a reading role, with their statements."""
    if target == "h200" or choice.random() < 0.1:
        return "worker", "worker", ["role worker : all"]
    even = choice.random() < 0.8
    writer, reader = ("even", "odd") if even else ("odd", "even")
    return "sender", "reader", [f"role sender : {writer}", f"role reader : {reader}"]


def _staged(choice: Random, made: Exchange, name: str) -> str:
    """Into a buffer of the receiver by load and store, and on to the output."""
    target, link = choice.choice(LOAD_STORE)
    head, lines = _header(choice, name, target)
    block = _block(choice, made) if choice.random() < 0.8 else None
    slots = block is not None and choice.random() < 0.6
    ready, free, rounds = choice.choice(AGAIN if slots else ONCE + (AGAIN[:2] if block else ()))
    if block is None and "block" in ready:
        ready = "notify per tile"
    writer, reader, roles = _roles(choice, target)
    if block:
        lines.append(f"block {block[0]} by {block[1]}")
    per_block = f" per block slots {choice.choice((2, 2, 3) if ready == 'barrier' else (1, 2, 2, 3))}" if slots else ""
    lines += [f"buffer P : {_slab(made, choice, 'from')} symmetric{per_block}", *roles]
    tile = _tile(choice, made, block)
    same = "credit per tile" in free or choice.random() < 0.5
    read_tile = tile if same else _tile(choice, made, block)
    staggered = "order staggered" if choice.random() < 0.3 else ""
    apart = choice.random() < 0.3
    others = " for others" if apart else ""
    send = [f"move A -> P{others}", f"link {link}", tile, staggered, f"ready {ready}", f"free {free}"]
    own = ["move A -> C for self"] if apart else []
    lines.append(_phase("send", writer, send))
    lines.append(_phase("read", reader, [f"move P -> C{others}", *own, f"link {link}", read_tile]))
    return _braces(head, [*lines, f"rounds {rounds}"])


def _direct(choice: Random, made: Exchange, name: str) -> str:
    """Straight into the peers' outputs."""
    target, link = choice.choice(LOAD_STORE)
    head, lines = _header(choice, name, target)
    block = _block(choice, made) if choice.random() < 0.4 else None
    ready, free, rounds = choice.choice(OUT)
    if block is None and "block" in ready:
        ready = "notify per peer"
    if block:
        lines.append(f"block {block[0]} by {block[1]}")
    role = "all" if target == "h200" else choice.choice(("all", "even", "odd"))
    lines += ["place C symmetric", f"role mover : {role}"]
    staggered = "order staggered" if choice.random() < 0.5 else ""
    clauses = [f"link {link}", _tile(choice, made, block), staggered, f"ready {ready}", f"free {free}"]
    if choice.random() < 0.3:
        moves = ["move A -> C for others", "move A -> C for self"]
        if choice.random() < 0.5:
            moves.reverse()
        clauses = [*moves, *clauses]
    else:
        clauses = ["move A -> C", *clauses]
    lines.append(_phase("send", "mover", clauses))
    return _braces(head, [*lines, f"rounds {rounds}"])


def _udma(choice: Random, made: Exchange, name: str) -> str:
    """By the RDMA engine for the other ranks, packed first or not; the own slab directly or staged."""
    head, lines = _header(choice, name, "ascend950")
    packed = not _outermost(made) or choice.random() < 0.3
    axis = made.axes[0] if packed else next(a for a in made.source if a != "to")
    if packed:
        axis = next(a for a in made.source if a != "to")
    size = choice.choice((1, 2, 4, 8))
    ready, rounds = choice.choice(
        (
            ("notify per block", "reset"),
            ("notify per peer", "reset"),
            ("barrier", "reset"),
            ("notify per block", "epoch"),
        )
    )
    free = "credit per peer" if rounds == "epoch" and choice.random() < 0.5 else "none"
    staged = choice.random() < 0.4 and not packed and rounds == "reset"
    lines += [f"block {axis} by {size}", f"buffer P : {_slab(made, choice, 'from', contiguous=True)} symmetric"]
    if packed:
        lines.append(f"buffer K : {_slab(made, choice, 'to', contiguous=True)} local")
    if staged:
        overlay = " overlay P[self]" if choice.random() < 0.7 else " local"
        lines.append(f"buffer L : {_slab(made, choice, None, contiguous=True)} per block slots 2{overlay}")
    lines += ["role sender : even, one per peer", "role filler : even, rest of sender", "role reader : odd"]
    tile = _tile(choice, made, (axis, size))
    if packed:
        unit = choice.choice(("notify per block", "notify per peer" if "peer" in ready else "notify per block"))
        pack = ["move A -> K for others", "link mte", tile, f"ready {unit}", f"free {free}"]
        lines.append(_phase("pack", "filler", pack))
    source = "K" if packed else "A"
    put = [f"move {source} -> P for others", "link udma", f"ready {ready}", f"free {free}"]
    lines.append(_phase("exchange", "sender", put))
    if staged:
        fill = (
            ["ready barrier", "free barrier"]
            if ready == "barrier"
            else ["ready notify per tile", "free credit per tile"]
        )
        lines.append(_phase("loopback", "filler", ["move A -> L for self", "link mte", tile, *fill]))
    own = "move L -> C for self" if staged else "move A -> C for self"
    lines.append(_phase("gather", "reader", ["move P -> C for others", own, "link mte", tile]))
    return _braces(head, [*lines, f"rounds {rounds}"])


def _outermost(made: Exchange) -> bool:
    return made.source[0] == "to"


def _chain(choice: Random, made: Exchange, name: str) -> str:
    """Three or four moves in a row, by buffers of the sender and of the receiver."""
    target, link = choice.choice(LOAD_STORE)
    head, lines = _header(choice, name, target)
    block = _block(choice, made) if choice.random() < 0.7 else None
    rounds = choice.choice(("reset", "reset", "epoch"))
    packs, lands = choice.choice(((True, False), (False, True), (True, True)))
    if block:
        lines.append(f"block {block[0]} by {block[1]}")
    stops = ["A", *(["K"] if packs else []), "P", *(["Q"] if lands else []), "C"]
    layouts = {"K": ("to", "local"), "P": ("from", "symmetric"), "Q": ("from", "local")}
    tile = _tile(choice, made, block)
    slotted = set()
    for stop in stops[1:-1]:
        axis, home = layouts[stop]
        if block and choice.random() < 0.4:
            slotted.add(stop)
        per_block = f" per block slots {choice.choice((1, 2, 3))}" if stop in slotted else ""
        lines.append(f"buffer {stop} : {_slab(made, choice, axis)} {home}{per_block}")
    roles = ["worker"] * 4 if target == "h200" else [choice.choice(("left", "right")) for _ in range(4)]
    lines += ["role worker : all"] if target == "h200" else ["role left : even", "role right : odd"]
    for number, (source, stop) in enumerate(pairwise(stops)):
        ready, free = choice.choice([(r, f) for r, f, n in (AGAIN if stop in slotted else ONCE) if n == rounds])
        if block is None and "block" in ready:
            ready = "notify per peer"
        say = [] if stop == "C" else [f"ready {ready}", f"free {free}"]
        lines.append(_phase(f"p{number}", roles[number], [f"move {source} -> {stop}", f"link {link}", tile, *say]))
    return _braces(head, [*lines, f"rounds {rounds}"])


def _options(choice: Random, made: Exchange, name: str) -> str:
    """What is checked, but not emitted yet: signals, flags, queues, batches, relays, roles of the host."""
    if choice.random() < 0.2:
        head, lines = _header(choice, name, "h200")
        link = choice.choice(("ce", "put"))
        role = "host" if link == "ce" else "all, one per peer"
        lines += ["place C symmetric", f"role mover : {role}"]
        ready = choice.choice(("notify per peer", "barrier"))
        clauses = ["move A -> C" if link == "ce" else "move A -> C for others", f"link {link}", f"ready {ready}"]
        lines.append(_phase("send", "mover", [*clauses, "free credit per peer"]))
        return _braces(head, [*lines, f"rounds {choice.choice(('reset', 'epoch'))}"])
    head, lines = _header(choice, name, "ascend950", choice.choice(("ascendc", "ascendc", "triton_dist")))
    options = ("qps 2", "qps 4", "split", "submit batch 8", "complete each", "complete end", "relay next")
    chosen = choice.sample(options, choice.randrange(0, 3))
    flagged = " flagged" if choice.random() < 0.3 else ""
    ready = "flag" if flagged else choice.choice(("signal per block", "signal per peer", "notify per block"))
    axis = choice.choice(made.axes)
    align = choice.choice(("", " align 64", " align 512"))
    lines += [f"block {axis} by 4", f"buffer K : {_slab(made, choice, 'to', contiguous=True)} local{flagged}"]
    lines.append(f"buffer P : {_slab(made, choice, 'from', contiguous=True)} symmetric{flagged}{align}")
    lines += ["role sender : even, one per peer", "role filler : even, rest of sender", "role reader : odd"]
    tile = _tile(choice, made, (axis, 4))
    rounds = choice.choice(("reset", "epoch"))
    lines.append(_phase("pack", "filler", ["move A -> K for others", "link mte", tile, "ready notify per block"]))
    link = f"link udma({', '.join(chosen)})" if chosen else "link udma"
    lines.append(_phase("exchange", "sender", ["move K -> P for others", link, f"ready {ready}"]))
    gather = ["move P -> C for others", "move A -> C for self", "link mte", tile]
    lines.append(_phase("gather", "reader", gather))
    return _braces(head, [*lines, f"rounds {rounds}"])
