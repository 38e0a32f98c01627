"""Writes specs at random, most of them sound: every layout, type, link, role and protocol that the language has.

What a spec is follows from its seed alone.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzz.engine_driven import hosted, options, puts, puts_straight
from tests.fuzz.exchanges import bounded, exchange
from tests.fuzz.load_store import LINKS, chain, chosen, staged, straight
from tests.fuzz.network import far, network
from tests.fuzz.parts import Exchange, Schedule, Spec

Family = Callable[[Random, Exchange, str, str], Schedule]
# How often each family comes, and its targets.
FAMILIES: tuple[tuple[Family, int, tuple[str, ...]], ...] = (
    (staged, 6, tuple(LINKS)),
    (straight, 4, tuple(LINKS)),
    (chain, 2, tuple(LINKS)),
    (puts, 4, ("ascend950",)),
    (puts_straight, 1, ("ascend950",)),
    (hosted, 2, ("h200",)),
    (options, 1, ("ascend950",)),
)
# A strided input cannot be put, and no engine of the host reads one.
STRIDED = (staged, straight, chain)


def spec(seed: int) -> str:
    """The text of `written`."""
    return written(seed).text()


def written(seed: int) -> Spec:
    """A spec of one exchange with one or two schedules."""
    choice = Random(seed)
    family, targets = _family(choice)
    target = choice.choice(targets)
    made = exchange(choice, gpu=target == "h200", strided=family in STRIDED)
    # A number of its own, so that other specs stay those of their seeds.
    if (
        family is straight
        and target == "h200"
        and made.source[-1][-1] == made.result[-1][-1]
        and Random(~seed).random() < 0.6
    ):
        family = chosen
    elif target == "h200" and family is not straight and (other := Random(f"network {seed}")).random() < 0.5:
        family, made = network, far(other, made)
    if (other := Random(f"bounds {seed}")).random() < 0.1:
        made = bounded(other, made)
    schedules = [family(choice, made, "s0", target)]
    if choice.random() < 0.15:
        schedules.append(family(choice, made, "s1", target))
    return Spec(made, tuple(schedules))


def _family(choice: Random) -> tuple[Family, tuple[str, ...]]:
    (family, _, targets) = choice.choices(FAMILIES, [weight for _, weight, _ in FAMILIES])[0]
    return family, targets
