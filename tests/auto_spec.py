"""A spec whose launcher chooses the link."""

from __future__ import annotations

EXCHANGE = """\
exchange {exchange} {{
  ranks W in 2..8
  dim   S in 1..1048576
  dim   H in 1..64
  dim   D in 1..16384
  where W * S * H * D <= 2**30
  in  A : bf16 {source}
  out C : bf16 {result}
  case tails {{ W = 3, S = 13, H = 2, D = 24 }}
  case large {{ W = 2, S = 65536, H = 8, D = 512 }}
}}

"""
SCHEDULE = """\
schedule {schedule} for {exchange} {{
  target h200
  emit   triton_dist
  place  C symmetric
  role mover : all
  phase send on mover {{
    move  A -> C
    link  auto
    ready notify per peer
    free  credit per peer
  }}
  rounds epoch
}}
"""


def auto_spec(
    exchange: str = "combine",
    schedule: str = "chosen",
    source: str = "[(to S) H D]",
    result: str = "[S (from H) D]",
) -> str:
    """An exchange and a schedule of these names; the layouts are those of combine."""
    return (EXCHANGE + SCHEDULE).format(exchange=exchange, schedule=schedule, source=source, result=result)
