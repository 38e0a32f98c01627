"""A launcher that chooses between plans of a schedule, each with an operator of its own, by what calls are predicted to
take."""

from __future__ import annotations

from collections.abc import Sequence

from a2agen.emit.triton_dist.host import python
from a2agen.emit.triton_dist.launcher import chosen_tiles, exchange_title, extents
from a2agen.ir.plan import Plan
from a2agen.passes.ways import described, link_of, remote_bytes


def class_name(plan: Plan) -> str:
    """The class of one of the operators."""
    return f"By{link_of(plan.schedule).name.capitalize()}"


def choice_context(plans: Sequence[Plan]) -> dict[str, object]:
    """What the template of the choice needs of the plans."""
    schedule = plans[0].schedule
    exchange = schedule.exchange
    return {
        "exchange_title": exchange_title(schedule),
        "ranks": exchange.ranks,
        "dims": exchange.dims,
        **extents(exchange),
        "ways": [
            {
                "link": link_of(plan.schedule).name,
                "about": f"{described(plan.schedule)}.",
                "name": class_name(plan),
                "chosen": chosen_tiles(plan),
                "remote": python(remote_bytes(schedule)),
            }
            for plan in plans
        ],
    }
