"""A tile that leaves no room for a second one.

The compilers for 910B and 910C give a loop over tiles two buffers where they fit, and one where they do not.

Why it matters: with one buffer a core waits for each store before it loads the next tile; its two engines take
turns instead of running side by side.

Instead of

    tile  S 8, D 8192        # 128 KiB of bf16, of 192 KiB

leave room for two:

    tile  S 8, D 4096
"""

from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes import onchip
from a2agen.passes.rules.rule import Report, schedule_rule
from a2agen.passes.rules.subjects import of


@schedule_rule("A706", "single-buffered", Severity.ADVICE, requires=("A209", "A210", "A301", "A506"))
def check(schedule: Schedule, report: Report) -> None:
    room = schedule.target.ub_bytes
    for phase, memory in {phase.name: (phase, memory) for phase, memory in onchip.loops(schedule)}.values():
        if room is not None and phase.tile is not None and memory.bytes * onchip.BUFFERS > room:
            report(
                phase.tile.span,
                f"two buffers of {memory} do not fit the {room} bytes of a core of {schedule.target.name}: "
                f"loads and stores of phase {phase.name} take turns",
                f"write `tile {onchip.smaller(phase.tile)}`",
                about=of(phase),
            )
