"""A spec whose launcher chooses the link."""

from __future__ import annotations

from tests.straight import straight

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


def auto_spec(
    exchange: str = "combine",
    schedule: str = "chosen",
    source: str = "[(to S) H D]",
    result: str = "[S (from H) D]",
) -> str:
    """An exchange and a schedule of these names; the layouts are those of combine."""
    return EXCHANGE.format(exchange=exchange, source=source, result=result) + straight(exchange, schedule, "auto")
