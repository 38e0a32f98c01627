"""Phases: what they move, over which link, in which tiles, and how they announce and free."""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.grammar import tree
from a2agen.ir.model import Free, Link, Move, Phase, Ready, Role, Tile
from a2agen.passes.resolve.faults import Faults
from a2agen.passes.resolve.layout import PEERS, axis
from a2agen.passes.resolve.scope import ExchangeScope
from a2agen.passes.resolve.storage import Storages
from a2agen.passes.ways import AUTO, measured
from a2agen.targets.profile import Profile

LINKS = ("mte", "udma", "ldst", "ce", "put", AUTO)
# The options of a link that has any, as the language writes them.
OPTIONS = {"udma": ("qps", "split", "submit batch", "complete", "relay"), "put": ("split", "complete")}


@dataclass(frozen=True, slots=True)
class PhaseScope:
    """What a phase's names can mean. A role is None where something of it is at fault."""

    exchange: ExchangeScope
    storages: Storages
    roles: dict[str, Role | None]
    target: Profile | None
    damaged: bool


def phase(decl: tree.PhaseDecl, scope: PhaseScope, faults: Faults) -> Phase:
    """The phase, poisoned where something of it is at fault or could not be read."""
    before = faults.unknowns
    role = _role(decl, scope, faults)
    moves = [_move(m, scope, faults) for m in decl.moves]
    if not moves and not decl.damaged:
        faults.missing(decl.head, f"phase {decl.name.text} moves nothing", "add `move A -> C`, with your tensors")
    ready = _ready(decl, faults)
    free = _free(decl, ready, faults)
    link = _link(decl, scope, ready, faults)
    tile, tile_is_whole = _tile(decl, scope, faults)
    certain = scope.storages.placed or all(m and {m.source.kind, m.target.kind} == {"buffer"} for m in moves)
    orders = faults.once(decl.orders, "order", "phase")
    sound = certain and role is not None and all(moves) and link is not None and tile_is_whole
    return Phase(
        decl.name.text,
        role or Role(decl.role.text, "all", span=decl.role.span),
        tuple(m for m in moves if m is not None),
        link or Link("", span=decl.head),
        tile,
        ready,
        free,
        staggered=orders is not None,
        span=decl.head,
        poisoned=not sound or decl.damaged or faults.unknowns != before,
    )


def _role(decl: tree.PhaseDecl, scope: PhaseScope, faults: Faults) -> Role | None:
    if decl.role.text not in scope.roles and not scope.damaged:
        faults.unknown(decl.role, "role", "roles", scope.roles)
    return scope.roles.get(decl.role.text)


def _move(decl: tree.MoveDecl, scope: PhaseScope, faults: Faults) -> Move | None:
    known = scope.storages.known
    for name in (decl.source, decl.destination):
        if name.text not in known and not scope.damaged and not scope.exchange.damaged:
            faults.unknown(name, "tensor or buffer", "tensors and buffers", known)
    source, target = known.get(decl.source.text), known.get(decl.destination.text)
    if source is None or target is None:
        return None
    who = decl.scope.text if decl.scope else "all"
    return Move(source, target, who, span=decl.span)  # type: ignore[arg-type]  # the grammar's words are the model's


def _ready(decl: tree.PhaseDecl, faults: Faults) -> Ready:
    d = faults.once(decl.readies, "ready", "phase")
    if d is None:
        return Ready("none", span=decl.head)
    unit = d.unit.text if d.unit else None
    return Ready(d.mode.text, unit, span=d.span)  # type: ignore[arg-type]  # the grammar's words are the model's


def _free(decl: tree.PhaseDecl, ready: Ready, faults: Faults) -> Free:
    d = faults.once(decl.frees, "free", "phase")
    if d is None:
        return Free("none", span=ready.span)
    unit = d.unit.text if d.unit else None
    return Free(d.mode.text, unit, span=d.span)  # type: ignore[arg-type]  # the grammar's words are the model's


def _link(decl: tree.PhaseDecl, scope: PhaseScope, ready: Ready, faults: Faults) -> Link | None:
    links = list(scope.target.links) if scope.target else [name for name in LINKS if name != AUTO]
    d = faults.once(decl.links, "link", "phase")
    if d is None:
        if not decl.damaged:
            message = f"phase {decl.name.text} does not say how its data travels"
            faults.missing(decl.head, message, "add " + " or ".join(f"`link {name}`" for name in links))
        return None
    name = d.name.text
    if name not in LINKS:
        choice = [AUTO] if scope.target and measured(scope.target) else []
        faults.unknown(d.name, "link", "links", [*links, *choice])
        return None
    spans = {
        "qps": [word.span for word in d.qps],
        "split": [word.span for word in d.splits],
        "submit batch": [word.span for word in d.batches],
        "complete": [word.span for word in d.completes],
        "relay": [word.span for word in d.relays],
    }
    for option in spans.keys() - OPTIONS.get(name, ()):
        for span in spans[option]:
            faults.misplaced(span, *_no_option(name, option))
    if name not in OPTIONS:
        return Link(name, span=d.span)
    queues = faults.once(d.qps, "qps", "link")
    split = faults.once(d.splits, "split", "link")
    batch = faults.once(d.batches, "submit batch", "link")
    complete = faults.once(d.completes, "complete", "link")
    relay = faults.once(d.relays, "relay", "link")
    at_end = complete.text == "end" if complete else ready.kind in ("signal", "flag")
    return Link(
        name,
        queues=(faults.at_least_one(queues, "the number of queues") or 1) if queues else 1,
        split=split is not None,
        batch=faults.at_least_one(batch, "the size of a batch") if batch else None,
        complete="end" if at_end else "each",
        relay=relay is not None,
        span=d.span,
    )


def _no_option(link: str, option: str) -> tuple[str, str]:
    """What is wrong with an option that a link has not, and the way out."""
    if link not in OPTIONS:
        return f"the link {link} has no options", "options are those of udma; leave them out"
    taken = " and ".join(f"`{known}`" for known in OPTIONS[link])
    return (
        f"the link {link} has no `{option}`: NVSHMEM chooses queues and ways by itself",
        f"leave it out; options of {link} are {taken}",
    )


def _tile(decl: tree.PhaseDecl, scope: PhaseScope, faults: Faults) -> tuple[Tile | None, bool]:
    """The tile without entries at fault, and whether there are none."""
    d = faults.once(decl.tiles, "tile", "phase")
    if d is None:
        return None, True
    sizes: dict[str, int] = {}
    sound = True
    for e in d.extents:
        name = e.axis.text
        if name in PEERS:
            faults.misplaced(e.span, f"a tile has no extent along `{name}`", f"leave it out: `{name}` has tile 1")
            sound = False
            continue
        known = axis(e.axis, scope.exchange, faults)
        size = faults.at_least_one(e.extent, f"the tile along {name}")
        if name in sizes:
            faults.duplicate(e.span, f"the tile has an extent along {name} already", "keep one of them")
        elif known and size is not None:
            sizes[name] = size
            continue
        sound = False
    return Tile(tuple(sizes.items()), span=d.span), sound
