"""Slabs that no move brings to the output.

Every rank has a slab for each other rank and one for itself. Each of them needs one way of moves from the input
to the output: one move, or several through buffers.

Why it matters: the rows of the output that nobody writes hold whatever was there. The kernel ends without an
error.

Instead of

    phase exchange on sender {
      move A -> P for others
      link udma
      ready notify per block
    }
    phase gather on reader {
      move P -> C for others
      link mte
      tile S 8, D 256
    }

move the own slab too:

    phase gather on reader {
      move P -> C for others
      move A -> C for self
      link mte
      tile S 8, D 256
    }
"""

from a2agen.ir.model import Schedule
from a2agen.passes.paths import PAIRS, SLABS, Pair, can_be_followed, count, steps
from a2agen.passes.rules.rule import Report, schedule_rule


@schedule_rule("A203", "pair-not-moved")
def check(schedule: Schedule, report: Report) -> None:
    if not can_be_followed(schedule):
        return
    for pair in PAIRS:
        if count(schedule, steps(schedule, pair)) == 0:
            last = _reached(schedule, pair)
            where = f": the last place that a move brings {_them(pair)} to is {last}"
            verb = "reach" if pair == "others" else "reaches"
            report(
                schedule.span,
                f"{SLABS[pair]} never {verb} {schedule.result.name}{where if last != schedule.source.name else ''}",
                f"add `move {last} -> {schedule.result.name} for {pair}` to a phase",
                about=pair,
            )


def _them(pair: Pair) -> str:
    return "them" if pair == "others" else "it"


def _reached(schedule: Schedule, pair: Pair) -> str:
    """The storage last reached when the moves are followed from the input on."""
    reached = [schedule.source.name]
    taken = steps(schedule, pair)
    for name in reached:
        reached += [m.target.name for _, m in taken if m.source.name == name and m.target.name not in reached]
    return reached[-1]
