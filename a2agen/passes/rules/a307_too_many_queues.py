"""More queues to a peer than the library has.

`qps n` cuts a slab into n runs, each with its own core and queue. How many queues there are is fixed by the
library that the kernel is built against: the Triton-Distributed forks drive one, the cann/shmem line under
Ascend C up to 32.

Why it matters: the library checks a queue's number in debug builds only. A put to a queue that was never made
is lost, and its reader waits for ever.

Instead of

    emit  triton_dist
    link  udma(qps 4)

stay within the limit of the back end, or take the back end that has more:

    emit  ascendc
    link  udma(qps 4)
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of
from a2agen.passes.rules.wording import many
from a2agen.targets import profile


@schedule_rule("A307", "too-many-queues", requires=("A301",))
def check(schedule: Schedule, report: Report) -> None:
    target = schedule.target
    backend = target.backends[schedule.emit]
    for phase, link in linked(schedule):
        if link.one_core_per_queue and phase.link.queues > backend.queues_max:
            larger = [
                f"`emit {b.name}` on {p.name} has {b.queues_max}"
                for p in map(profile.load, profile.names())
                for b in p.backends.values()
                if b.queues_max > backend.queues_max
            ]
            report(
                phase.link.span,
                f"{many(phase.link.queues, 'queue')} to a peer, and {schedule.emit} on {target.name} "
                f"({backend.variant}) has {backend.queues_max}",
                f"write `qps {backend.queues_max}` or less" + "".join(f"; {other}" for other in larger),
                about=of(phase),
            )
