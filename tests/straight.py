"""The schedule of a GPU that moves the input of an exchange to its output in one phase, by any of the links."""

from __future__ import annotations

SCHEDULE = """\
schedule {schedule} for {exchange} {{
  target h200
  emit   triton_dist
  place  C symmetric
  role mover : all
  phase send on mover {{
    move  A -> C
    link  {link}
    ready notify per peer
    free  credit per peer
  }}
  rounds epoch
}}
"""


def straight(exchange: str, schedule: str, link: str) -> str:
    """The schedule of that name; `link` is what stands behind the word, with a tile perhaps."""
    return SCHEDULE.format(schedule=schedule, exchange=exchange, link=link)
