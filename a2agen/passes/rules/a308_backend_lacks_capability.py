"""The back end cannot do what the schedule asks for.

A target and a back end together decide what a kernel can use: Triton-Distributed on Ascend 950 drives one queue
and plain puts, and Ascend C has batches, relays, puts that carry their signal and flag blocks as well. The
launcher of a GPU can issue phases itself. The barriers of NVSHMEM are of the ranks, not of the many programs of each:
no kernel of a GPU has one that all programs join.

Why it matters: the kernel would call a function that the library does not have, or one that ignores the
argument in silence.

Instead of

    target ascend950
    emit   triton_dist
    ready  signal per block

take a back end that has it (`emit ascendc`), or say it with what is there:

    ready  notify per block

`a2agen targets` shows what each pair can do.
"""

from collections.abc import Iterator

from a2agen.ir.model import Phase, Role, Schedule, Storage
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of
from a2agen.passes.rules.wording import listed
from a2agen.source import Span
from a2agen.targets import profile


@schedule_rule("A308", "backend-lacks-capability", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    backend = schedule.target.backends[schedule.emit]
    for thing, span, capability, written in _asked(schedule):
        if capability not in backend.capabilities:
            report(
                span,
                f"{schedule.emit} on {schedule.target.name} ({backend.variant}) has no `{written}`: "
                f"{profile.CAPABILITIES[capability]}",
                elsewhere(capability),
                about=of(thing),
            )


def elsewhere(capability: str) -> str:
    """Where a capability is to be had."""
    pairs = [
        f"`emit {b.name}` on {p.name}"
        for p in map(profile.load, profile.names())
        for b in p.backends.values()
        if capability in b.capabilities
    ]
    return f"it is there with {listed(pairs, 'or')}" if pairs else "no target has it"


def _asked(schedule: Schedule) -> Iterator[tuple[Phase | Role | Storage, Span, str, str]]:
    """Everything that some back ends lack: about what, where, the capability, and the words that ask for it."""
    for role in schedule.roles:
        links = [p.link.name for p in schedule.phases if p.role.name == role.name]
        if role.cores == "host" and any(name in schedule.target.links for name in links):
            yield role, role.span, "host_role", "host"
    for buffer in schedule.buffers:
        if buffer.flagged:
            yield buffer, buffer.span, "flag", "flagged"
    for phase in schedule.phases:
        if phase.link.split:
            yield phase, phase.link.span, "split", "split"
        if phase.link.batch is not None:
            yield phase, phase.link.span, "batch", "submit batch"
        if phase.link.relay:
            yield phase, phase.link.span, "relay", "relay next"
        if phase.ready.kind in ("barrier", "signal", "flag"):
            yield phase, phase.ready.span, phase.ready.kind, f"ready {phase.ready.kind}"
