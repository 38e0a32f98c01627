"""The library of the target lacks an operation that the kernel needs.

A core that stores to a peer and then announces it needs a fence between the two; a put needs `putmem`, and a
quiet before it is announced. Mainline Triton-Distributed on Ascend has none of them, the forks with RMA have
all. A barrier orders loads and stores without a fence.

Why it matters: without the fence the announcement may overtake the data, and the peer reads rows that are yet
to arrive, once in a thousand runs.

Instead of

    target ascend910c_mainline
    ready  notify per tile

build against a variant that has the operation, or announce by a barrier:

    target ascend910c
"""

from a2agen.ir.model import Phase, Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked
from a2agen.passes.rules.wording import listed
from a2agen.targets import profile
from a2agen.targets.profile import Link


@schedule_rule("A313", "library-variant-lacks")
def check(schedule: Schedule, report: Report) -> None:
    backend = schedule.target.backends[schedule.emit]
    if any(phase.link.name not in schedule.target.links for phase in schedule.phases):
        return
    lacking: dict[str, Phase] = {}
    for phase, link in linked(schedule):
        for capability in _needed(schedule, phase, link):
            if capability not in backend.capabilities:
                lacking.setdefault(capability, phase)
    if not lacking:
        return
    has = [
        p.name
        for p in map(profile.load, profile.names())
        if schedule.emit in p.backends
        and set(lacking) <= p.backends[schedule.emit].capabilities
        and all(phase.link.name in p.links for phase in schedule.phases)
    ]
    uses = "; ".join(f"phase {phase.name} must {profile.CAPABILITIES[name]}" for name, phase in lacking.items())
    report(
        schedule.target_span,
        f"{backend.variant} on {schedule.target.name} has no {listed(lacking, 'or')}: {uses}",
        f"write {listed((f'`target {name}`' for name in has), 'or')}" if has else None,
    )


def _needed(schedule: Schedule, phase: Phase, link: Link) -> list[str]:
    if link.kind == "put":
        either = schedule.target.backends[schedule.emit].capabilities & {"quiet", "queue_quiet"}
        return ["putmem", *(either or ("quiet",))]
    if link.kind != "load_store":
        return []
    frees = any(p.free.kind == "credit" for m in phase.moves for _, p, _ in analysis.feeds(schedule, m))
    return ["fence"] if phase.ready.kind == "notify" or frees else []
