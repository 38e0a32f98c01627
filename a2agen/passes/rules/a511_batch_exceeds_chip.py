"""A batch of requests that the chip cannot hold.

`submit batch n` builds n requests on chip, 64 bytes each, and rings the doorbell once. They lie behind the
place where the library builds its requests, up to the end of the on-chip memory; and a queue has a fixed number
of places.

Why it matters: a request past the end overwrites tiles, and one past the queue overwrites a request that is yet
to be sent.

Instead of

    link  udma(submit batch 2000)

take a smaller batch:

    link  udma(submit batch 64)
"""

from a2agen.ir.model import Schedule
from a2agen.passes import onchip
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import linked, of


@schedule_rule("A511", "batch-exceeds-chip", requires=("A301", "A308"))
def check(schedule: Schedule, report: Report) -> None:
    target = schedule.target
    if target.ub_bytes is None or target.udma_staging_offset is None:
        return
    room = target.ub_bytes - target.udma_staging_offset
    for phase, link in linked(schedule):
        batch = phase.link.batch
        if batch is None or link.request_bytes is None:
            continue
        most = min(room // link.request_bytes, (link.queue_depth or batch + 1) - 1)
        if batch > most:
            report(
                phase.link.span,
                f"a batch of {batch} requests takes {onchip.batch_bytes(schedule, phase)} bytes on chip "
                f"({batch} * {link.request_bytes}), and {target.name} has {room} for them, "
                f"behind byte {target.udma_staging_offset}",
                f"write `submit batch {most}` or less",
                about=of(phase),
            )
