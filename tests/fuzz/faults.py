"""Sound specs with one part changed, so that a rule about cores, buffers or synchronisation has something to say.

Some changes are made for one rule, the others for whichever it may be: nobody has chosen those so that a rule is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.fuzz.parts import Buffer, Move, Phase, Role, Schedule, Spec
from tests.fuzz.writer import written

READIES = ("", "barrier", "notify per tile", "notify per block", "notify per peer")
FREES = ("", "credit per tile", "credit per peer", "barrier")
CLASSES = ("even", "odd", "all")
Change = Callable[[Random, Spec, Schedule], Schedule | None]


def changed(seed: int) -> Spec:
    """A spec that was sound, with one change of its first schedule; now and then with two."""
    choice = Random(f"changed {seed}")
    sound = written(seed)
    schedule = sound.schedules[0]
    for _ in range(1 if choice.random() < 0.8 else 2):
        change = choice.choice(ANY if choice.random() < 0.5 else AIMED)
        schedule = change(choice, sound, schedule) or schedule
    return replace(sound, schedules=(schedule,))


def _phase(schedule: Schedule, old: Phase, **new: object) -> Schedule:
    changed = replace(old, **new)  # type: ignore[arg-type]
    return replace(schedule, phases=tuple(changed if p is old else p for p in schedule.phases))


def _buffer(schedule: Schedule, old: Buffer, **new: object) -> Schedule:
    changed = replace(old, **new)  # type: ignore[arg-type]
    return replace(schedule, buffers=tuple(changed if b is old else b for b in schedule.buffers))


def _role(schedule: Schedule, old: Role, **new: object) -> Schedule:
    changed = replace(old, **new)  # type: ignore[arg-type]
    return replace(schedule, roles=tuple(changed if r is old else r for r in schedule.roles))


def _announcing(choice: Random, schedule: Schedule) -> Phase | None:
    phases = [p for p in schedule.phases if p.ready]
    return choice.choice(phases) if phases else None


def _ready(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    phase = _announcing(choice, schedule)
    return phase and _phase(schedule, phase, ready=choice.choice(READIES))


def _free(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    phase = _announcing(choice, schedule)
    return phase and _phase(schedule, phase, free=choice.choice(FREES))


def _both(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    phase = _announcing(choice, schedule)
    return phase and _phase(schedule, phase, ready=choice.choice(READIES), free=choice.choice(FREES))


def _rounds(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    return replace(schedule, rounds="epoch" if schedule.rounds == "reset" else "reset")


def _tile(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    phases = [p for p in schedule.phases if p.tile]
    if not phases:
        return None
    phase = choice.choice(phases)
    assert phase.tile
    axis = choice.choice(spec.exchange.axes)
    return _phase(schedule, phase, tile={**phase.tile, axis: choice.choice((1, 2, 4, 8))})


def _slots(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    if not schedule.buffers:
        return None
    return _buffer(schedule, choice.choice(schedule.buffers), slots=choice.choice((None, 1, 1, 2, 2, 3)))


def _cores(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    return replace(schedule, cores=choice.choice((1, 2, 3, 4, 5, 6, 8)))


def _cores_of_role(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    role = choice.choice(schedule.roles)
    return None if role.cores == "host" else _role(schedule, role, cores=choice.choice(CLASSES))


def _share(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    role = choice.choice(schedule.roles)
    others = [f"rest of {r.name}" for r in schedule.roles if r is not role]
    return _role(schedule, role, share=choice.choice(("", "one per peer", *others)))


def _one_role(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """A phase on the cores of another one."""
    return _phase(schedule, choice.choice(schedule.phases), role=choice.choice(schedule.roles).name)


def _who(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    phase = choice.choice(schedule.phases)
    at = choice.randrange(len(phase.moves))
    moves = list(phase.moves)
    moves[at] = replace(moves[at], who=choice.choice(("all", "others", "self")))
    return _phase(schedule, phase, moves=tuple(moves))


def _home(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """Memory that others reached is local, or the other way round."""
    if schedule.buffers:
        buffer = choice.choice(schedule.buffers)
        return _buffer(schedule, buffer, symmetric=not buffer.symmetric)
    return replace(schedule, placed=tuple(n for n in schedule.placed if n != "C"))


def _axes(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    if not schedule.buffers:
        return None
    buffer = choice.choice(schedule.buffers)
    return _buffer(schedule, buffer, axes=tuple(choice.sample(buffer.axes, len(buffer.axes))))


def _align(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    if not schedule.buffers:
        return None
    return _buffer(schedule, choice.choice(schedule.buffers), align=choice.choice((1, 2, 3, 24, 64, 96)))


def _overlay(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    own = [b for b in schedule.buffers if not {"to", "from"} & set(b.axes)]
    hosts = [b for b in schedule.buffers if b not in own]
    if not own or not hosts:
        return None
    axes = own[0].axes
    return _buffer(schedule, own[0], overlay=choice.choice(hosts).name, axes=tuple(choice.sample(axes, len(axes))))


def _no_block(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    return replace(schedule, block=None, buffers=tuple(replace(b, slots=None) for b in schedule.buffers))


def _swap(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    return replace(schedule, phases=tuple(choice.sample(schedule.phases, len(schedule.phases))))


def _complete(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """Puts that are completed at the end of the kernel."""
    phases = [p for p in schedule.phases if p.link.startswith(("udma", "put"))]
    if not phases:
        return None
    engine = phases[0].link.split("(")[0]
    link = f"{engine}(split, complete end)" if "split" in phases[0].link else f"{engine}(complete end)"
    return _phase(schedule, phases[0], link=link)


def _rest(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """So few cores that `one per peer` leaves none, for some number of ranks that the spec admits."""
    if not any(role.share.startswith("rest") for role in schedule.roles):
        return None
    low, high = spec.exchange.ranks
    return replace(schedule, cores=2 * choice.randrange(max(1, low - 1), high))


def _split_barrier(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """Two phases in a row that one barrier announces."""
    phases = tuple(replace(p, ready="barrier", free="") if p.ready else p for p in schedule.phases)
    return replace(schedule, phases=phases)


def _one_slot(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """Slots and a barrier a block, of which one phase reads and another writes."""
    phase = _announcing(choice, schedule)
    if phase is None or schedule.block is None:
        return None
    target = next((b for b in schedule.buffers if b.name == phase.moves[0].target), None)
    if target is None:
        return None
    barred = _phase(schedule, phase, ready="barrier", free=choice.choice(("barrier", "barrier", "")))
    return _buffer(barred, target, slots=choice.choice((1, 1, 2)))


def _reused(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """Slots that nothing frees, or a credit that frees too late."""
    phase = _announcing(choice, schedule)
    target = phase and next((b for b in schedule.buffers if b.name == phase.moves[0].target), None)
    if phase is None or target is None or schedule.block is None:
        return None
    slotted = _buffer(schedule, target, slots=choice.choice((1, 2, 3)))
    return _phase(slotted, phase, free=choice.choice(("", "", "credit per peer")))


def _two_overlays(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """A second buffer over the slab that an overlay has, by which the own rows go on."""
    over = next((b for b in schedule.buffers if b.overlay), None)
    fill = next((p for p in schedule.phases if over and p.moves[0].target == over.name), None)
    gather = next((p for p in schedule.phases if over and any(m.source == over.name for m in p.moves)), None)
    if over is None or fill is None or gather is None:
        return None
    second = replace(over, name="M")
    between = replace(
        fill, name="between", role=choice.choice((fill.role, gather.role)), moves=(Move(over.name, "M", "self"),)
    )
    moves = tuple(replace(m, source="M") if m.source == over.name else m for m in gather.moves)
    phases = [replace(p, moves=moves) if p is gather else p for p in schedule.phases]
    phases.insert(next(n for n, p in enumerate(phases) if p.name == gather.name), between)
    return replace(schedule, buffers=(*schedule.buffers, second), phases=tuple(phases))


def _silent(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    """A phase that announces nothing."""
    phase = _announcing(choice, schedule)
    return phase and _phase(schedule, phase, ready="", free="")


def _no_free(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    phase = _announcing(choice, schedule)
    return phase and _phase(schedule, phase, free="")


def _host_in_tiles(choice: Random, spec: Spec, schedule: Schedule) -> Schedule | None:
    host = next((p for p in schedule.phases if p.link == "ce" and p.ready), None)
    if host is None:
        return None
    axis = spec.exchange.axes[0]
    return choice.choice(
        (
            _phase(schedule, host, tile={axis: 4}),
            _phase(schedule, host, ready=choice.choice(("barrier", "notify per tile"))),
            _phase(schedule, host, free=choice.choice(("barrier", "credit per tile"))),
            _role(schedule, schedule.roles[0], share="one per peer"),
        )
    )


ANY: tuple[Change, ...] = (
    *(_ready, _ready, _free, _free, _both, _both, _rounds, _tile, _tile, _slots, _slots, _cores, _cores_of_role),
    *(_share, _one_role, _who, _home, _axes, _align, _overlay, _no_block, _swap),
)
AIMED: tuple[Change, ...] = (
    *(_complete, _rest, _split_barrier, _one_slot, _reused, _two_overlays, _silent, _no_free, _host_in_tiles),
    *(_swap, _share, _cores),
)
