"""Every row of the launch-protocol table that is refused, as a spec of every target: lint gives the reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from a2agen.findings import Severity
from a2agen.passes.check import check
from a2agen.passes.protocol.table import Free, Place, Ready, Rounds, combinations, lookup, phrase
from a2agen.source import Source
from tests.passes.lower import matrix

# What a combination says of signals and flags, no load/store link of these targets can do, refused row or not.
TARGETS = ("ascend910b", "ascend910c", "ascend950", "h200")
NOT_THERE = ("signal", "flag")
Combination = tuple[Ready, Free, Rounds, Place, bool]


def refused() -> Iterator[Combination]:
    """The refused combinations that a spec can say: an output has no slots."""
    for ready, free, rounds, place, reused in combinations():
        says = not (place == "out" and reused)
        if says and lookup(*ready, *free, rounds, place, reused).error is not None:
            yield ready, free, rounds, place, reused


def spec(target: str, combination: Combination) -> str:
    ready, free, rounds, place, reused = combination
    known = target.replace("910b", "910c")
    said = (known, phrase(ready), phrase(free), rounds)
    buffer = "[S (from H) D] symmetric per block slots 2" if reused else "[from S H D] symmetric"
    text = matrix.straight(*said, block=True) if place == "out" else matrix.staged(*said, buffer)
    return text.replace(f"target {known}", f"target {target}")


def reason(target: str, combination: Combination) -> tuple[str, str]:
    """The code that refuses a combination and what its message has to say.

    Where something is left out, the rule of what is missing speaks, of this spec; else A602 does, by the table.
    """
    ready, free, rounds, place, reused = combination
    error = lookup(*ready, *free, rounds, place, reused).error or ""
    if (target, ready[0]) == ("h200", "signal"):
        return "A614", "ldst makes no puts"
    if ready[0] in NOT_THERE or (target, ready[0]) == ("h200", "barrier"):
        return "A308", f"`ready {ready[0]}`"
    if ready[0] == "none" and place == "out":
        return "A606", "they do not learn when it is complete"
    if ready[0] == "none":
        return "A604", "announces nothing"
    if free[0] == "none" and reused:
        return "A601", "block i + 2 of P overwrites block i"
    if free[0] == "none":
        return "A606", "under rounds epoch nothing tells it that they are done with what the last launch wrote"
    return "A602", error.split(";")[0]


@pytest.mark.parametrize("target", TARGETS)
def test_a_refused_combination_is_refused_with_the_reason(target):
    for combination in refused():
        found = check(Source("swap.a2a", spec(target, combination))).findings
        code, text = reason(target, combination)
        told = [f for f in found if f.code == code and f.severity is Severity.ERROR and text in f.message]
        assert len(told) == 1, (combination, [f"{f.code} {f.message}" for f in found])
        assert told[0].help, combination


def test_combinations_are_refused_for_each_reason():
    met = {target: {reason(target, c)[0] for c in refused()} for target in ("ascend910c", "h200")}
    assert met["ascend910c"] == {"A308", "A601", "A602", "A604", "A606"}
    assert met["h200"] == met["ascend910c"] | {"A614"}
    assert len(list(refused())) == len(set(refused())) > 100


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_specs_with_a_sound_combination_pass(target):
    for place in ("staging", "out"):
        sound = (("notify", "peer"), ("credit", "peer"), "epoch", place, False)
        assert not [f for f in check(Source("swap.a2a", spec(target, sound))).findings if f.severity is Severity.ERROR]
