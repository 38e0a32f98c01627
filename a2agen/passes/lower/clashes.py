"""Names of a spec that its kernel or its launcher makes of other names of it."""

from __future__ import annotations

from collections.abc import Iterator

from a2agen.ir.model import Schedule
from a2agen.passes import analysis, words
from a2agen.source import Span


def clashes(schedule: Schedule) -> Iterator[tuple[str, Span]]:
    """Extents, tensors and buffers that are called as something which code makes for itself, in the order of the text;
    then phases whose words would be called as those of another."""
    exchange = schedule.exchange
    made = {f"{exchange.name}_{schedule.name}", "extents"} | _made(schedule)
    named = [(e.name, e.span) for e in exchange.bounds.extents] + [(s.name, s.span) for s in schedule.storages]
    taken = [(name, span) for name, span in named if name in made]
    yield from sorted(taken, key=lambda clash: (clash[1].line, clash[1].column))
    owners: dict[str, str] = {}
    for phase, move in analysis.moves(schedule):
        if phase.ready.kind in words.BY_WORD and analysis.announced(schedule, move):
            region = words.words_name(schedule, phase, move)
            if owners.setdefault(region, phase.name) != phase.name:
                yield phase.name, phase.span


def _made(schedule: Schedule) -> set[str]:
    """Names of pointers, strides and places of signal words, and of what a launcher keeps for copies of its own."""
    found = {f"{s.name}_{end}" for s in schedule.storages for end in ("tile", "from")}
    found |= {f"stride_{s.name}_{n}" for s in schedule.storages if s.strided for n in range(len(s.layout.factors))}
    if schedule.auto is not None:
        found |= {"cls", "times"}
    if analysis.of_host(schedule):
        found |= {"entry_epochs", "exit_epochs", "side", "slabs", f"{schedule.result.name}_rows"}
    return found | {f"{region.name}_word" for region in words.all_words(schedule)}
