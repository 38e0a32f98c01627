"""An odd number of cores, divided into even and odd ones.

With an odd number the last even core has no odd partner. On Ascend the two vector cores of an AI core are
started together, so half a pair cannot be had.

Why it matters: kernels that pair an even core with the next odd one give the last even core the tasks of core 0
once more: races, lost signals and usually a hang. A launch of half an AI core is refused, or runs a core more
than the kernel counts on.

Instead of

    cores 47
    role  sender : even
    role  reader : odd

launch whole pairs:

    cores 48
"""

from a2agen.ir.model import Schedule
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A404", "odd-core-count", requires=("A403",))
def check(schedule: Schedule, report: Report) -> None:
    cores = schedule.cores
    halved = [role.name for role in schedule.roles if role.cores in ("even", "odd")]
    if cores is None or schedule.cores_span is None or cores % 2 == 0 or not halved:
        return
    report(
        schedule.cores_span,
        f"{cores} cores are {(cores + 1) // 2} even and {cores // 2} odd ones, "
        f"and role {halved[0]} takes one half of pairs of cores",
        f"write `cores {cores + 1}`" + (f" or `cores {cores - 1}`" if cores > 1 else ""),
    )
