"""More cores than run at the same time.

The cores of a launch wait for each other, so all of them must be on the chip at once: on Ascend one for each
vector core, on a GPU as many programs as are resident for certain, two for each multiprocessor of an H200. A device
barrier joins at most the cores that its pool of words was made for, on Ascend 48.

Why it matters: cores that are not resident start when others end, and these others wait for them: a hang. Past
the barrier's pool the words of one core are overwritten by another.

Instead of

    cores 64
    ready barrier        # the pool has 48 places

launch no more than there are, or leave out `cores`: the default is the largest number that is safe.
"""

from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A405", "more-cores-than-run")
def check(schedule: Schedule, report: Report) -> None:
    target = schedule.target
    most = target.cores_for(barrier=analysis.uses_barrier(schedule))
    if schedule.cores is None or schedule.cores_span is None or schedule.cores <= most:
        return
    if schedule.cores > target.cores:
        reason = (
            f"{target.name} runs {target.cores} at a time for certain, and the cores of a launch wait for each other"
        )
    else:
        reason = f"a device barrier of {target.name} joins at most {most}"
    report(
        schedule.cores_span,
        f"a launch of {schedule.cores} cores: {reason}",
        f"write `cores {most}`, or leave out `cores`",
    )
