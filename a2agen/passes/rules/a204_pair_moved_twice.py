"""Slabs that come to the output on two ways.

Each slab has exactly one way of moves from the input to the output. The finding is at the move that opens the
second.

Why it matters: two phases write the same rows without knowing of each other. At best the work is done twice;
with buffers that are used again, the slower way overwrites good rows with old ones.

Instead of

    move A -> C
    …
    move A -> C for self

let each of them move what the other does not:

    move A -> C for others
    …
    move A -> C for self
"""

from a2agen.ir.model import Schedule
from a2agen.passes.paths import PAIRS, SLABS, Pair, Step, can_be_followed, count, second, some, steps
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A204", "pair-moved-twice")
def check(schedule: Schedule, report: Report) -> None:
    if not can_be_followed(schedule):
        return
    for pair in PAIRS:
        taken = steps(schedule, pair)
        if count(schedule, taken) > 1:
            _report(schedule, pair, taken[: second(schedule, taken)], report)


def _report(schedule: Schedule, pair: Pair, taken: list[Step], report: Report) -> None:
    *before, last = taken
    one = some(schedule, before)
    other = some(schedule, taken, last) or some(schedule, taken)
    verb = "reach" if pair == "others" else "reaches"
    report(
        last[1].span,
        f"{SLABS[pair]} {verb} {schedule.result.name} twice: {_text(one)}, and {_text(other)}",
        f"keep one way for {pair}, and make the moves of the other `for {'self' if pair == 'others' else 'others'}`",
        about=(pair, last[1]),
    )


def _text(way: list[Step]) -> str:
    return ", then ".join(f"{m.source.name} -> {m.target.name} in {p.name}" for p, m in way)
