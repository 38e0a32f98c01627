"""Schedules: the target, the roles, the buffers and the phases."""

from __future__ import annotations

from a2agen.grammar import tree
from a2agen.ir.model import Block, Phase, Role, Schedule
from a2agen.passes.resolve.faults import Faults
from a2agen.passes.resolve.layout import PEERS, axis
from a2agen.passes.resolve.names import Names
from a2agen.passes.resolve.phase import PhaseScope, phase
from a2agen.passes.resolve.scope import ExchangeScope
from a2agen.passes.resolve.storage import storages
from a2agen.targets import profile
from a2agen.targets.profile import Profile

MOST_CORES = 65535


def schedule(decl: tree.ScheduleDecl, scope: ExchangeScope, faults: Faults) -> Schedule | None:
    """The schedule; None where its exchange, target or back end is not known, or statements of it could not be read.

    All names are looked at in any case.
    """
    before = faults.unknowns
    target = _target(decl, faults)
    emit = _emit(decl, target, faults)
    cores = faults.once(decl.cores, "cores", "schedule")
    count = faults.within(cores.count, "the number of cores", MOST_CORES, "leave out `cores`") if cores else None
    made = storages(decl, scope, faults)
    block = _block(decl, scope, faults)
    roles = _roles(decl, faults)
    phases = _phases(decl, PhaseScope(scope, made, roles, target, decl.damaged), faults)
    rounds = faults.once(decl.rounds, "rounds", "schedule")
    if rounds is None and not decl.damaged:
        message = f"{decl.name.text} does not say what makes the next launch safe"
        faults.missing(decl.head, message, "add `rounds reset` or `rounds epoch`")
    if scope.exchange is None or target is None or emit is None or decl.damaged:
        return None
    return Schedule(
        decl.name.text,
        scope.exchange,
        target,
        emit.backend.text,
        count,
        made.sound(),
        block,
        tuple(r for r in roles.values() if r is not None),
        phases,
        "epoch" if rounds and rounds.mode.text == "epoch" else "reset",
        span=decl.head,
        target_span=decl.targets[0].span,
        emit_span=emit.span,
        cores_span=cores.span if cores else None,
        rounds_span=rounds.span if rounds else decl.head,
        poisoned=faults.unknowns != before or any(p.poisoned for p in phases),
    )


def _target(decl: tree.ScheduleDecl, faults: Faults) -> Profile | None:
    d = faults.once(decl.targets, "target", "schedule")
    if d is None:
        if not decl.damaged:
            message = f"{decl.name.text} does not say which machine it is for"
            faults.missing(decl.head, message, f"add `target` and one of {', '.join(profile.names())}")
        return None
    if d.name.text not in profile.names():
        faults.unknown(d.name, "target", "targets", profile.names())
        return None
    return profile.load(d.name.text)


def _emit(decl: tree.ScheduleDecl, target: Profile | None, faults: Faults) -> tree.EmitDecl | None:
    d = faults.once(decl.emits, "emit", "schedule")
    if d is None:
        if not decl.damaged:
            message = f"{decl.name.text} does not say which back end makes its kernel"
            faults.missing(
                decl.head, message, f"add `emit` and one of {', '.join(target.backends if target else _backends())}"
            )
        return None
    name = d.backend.text
    there = list(target.backends) if target else _backends()
    if name in there:
        return d
    if target is None or name not in _backends():
        faults.unknown(d.backend, "back end", "back ends", there)
    else:
        reason = f": {target.refused[name]}" if name in target.refused else ""
        others = ", ".join(f"`emit {other}`" for other in there)
        faults.unavailable(d.backend, f"{target.name} has no back end {name}{reason}", f"{target.name} has {others}")
    return None


def _backends() -> list[str]:
    """The back ends of all targets."""
    return list(dict.fromkeys(b for name in profile.names() for b in profile.load(name).backends))


def _block(decl: tree.ScheduleDecl, scope: ExchangeScope, faults: Faults) -> Block | None:
    d = faults.once(decl.blocks, "block", "schedule")
    if d is None:
        return None
    size = faults.at_least_one(d.size, "the block")
    if d.axis.text in PEERS:
        faults.misplaced(d.axis.span, f"`{d.axis.text}` can't be cut into blocks", "block an axis of the slab")
        return None
    name = axis(d.axis, scope, faults)
    return Block(name, size, span=d.span) if name is not None and size is not None else None


def _roles(decl: tree.ScheduleDecl, faults: Faults) -> dict[str, Role | None]:
    """Roles by name, None where something of one is at fault."""
    names = Names()
    roles: dict[str, Role | None] = {}
    declared = {r.name.text for r in decl.roles}
    for r in decl.roles:
        if names.give(r.name, "role", faults, emitted=False):
            roles[r.name.text] = _role(r, declared, decl.damaged, faults)
    return roles


def _role(decl: tree.RoleDecl, declared: set[str], damaged: bool, faults: Faults) -> Role | None:
    before = faults.unknowns
    name = decl.name.text
    kind = decl.classes[0] if decl.classes else None
    for other in decl.classes:
        if kind and other.text != kind.text:
            faults.misplaced(other.span, f"the cores of {name} are {kind.text} already", "keep one of the two")
    if kind is not None:
        faults.once([w for w in decl.classes if w.text == kind.text], kind.text, "role")
    per_peer = faults.once(decl.one_per_peer, "one per peer", "role")
    rest = faults.once(decl.rest_of, "rest of", "role")
    if kind is None:
        faults.missing(decl.span, f"role {name} does not say which cores play it", "add `even`, `odd`, `all` or `host`")
    if rest and rest.text == name:
        faults.misplaced(rest.span, f"{name} can't be the rest of itself", "name the role that leaves the cores")
    elif rest and rest.text not in declared and not damaged:
        faults.unknown(rest, "role", "other roles", sorted(declared - {name}))
    if kind is None or faults.unknowns != before:
        return None
    return Role(name, kind.text, per_peer is not None, rest.text if rest else None, span=decl.span)  # type: ignore[arg-type]


def _phases(decl: tree.ScheduleDecl, scope: PhaseScope, faults: Faults) -> tuple[Phase, ...]:
    names = Names()
    if not decl.phases and not decl.damaged:
        faults.missing(decl.head, f"{decl.name.text} has no phase", "add `phase NAME on ROLE { move A -> C … }`")
    for p in decl.phases:
        names.give(p.name, "phase", faults, emitted=False)
    return tuple(phase(p, scope, faults) for p in decl.phases)
