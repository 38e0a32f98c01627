"""The streams of ranks whose cores hand their data to an engine, for the exhaustive search.

A core packs a block, hands it over and goes on. The put runs beside it, in no order to other puts: it reads the
packed block and writes it at the peer, then sets its signal, or sets the flag with the data. A quiet waits until a put
is done; before its kernel ends a core waits for all of its own.
"""

from __future__ import annotations

from typing import Literal

from a2agen.passes.protocol.explore import Cell, Operation, Read, Store, Stream, Wait
from a2agen.passes.protocol.model import Builder, Path, Scenario

DrivenChange = Literal["no quiet", "no quiet at kernel end", "signal before data", "flag before data"]


def driven_streams(path: Path, scenario: Scenario, changes: frozenset[DrivenChange] = frozenset()) -> list[Stream]:
    """The stream of each rank, `scenario.launches` launches long, then those of their engines. Paths announce by more
    than tiles."""
    builders = [_Driven(path, scenario, changes) for _ in range(scenario.ranks)]
    cores = [builder.stream(rank) for rank, builder in enumerate(builders)]
    return [*cores, *([[*builder.engine.values()]] for builder in builders)]


class _Driven(Builder):
    def __init__(self, path: Path, scenario: Scenario, changes: frozenset[DrivenChange]) -> None:
        super().__init__(path, scenario, frozenset())
        self.spoilt = changes
        # What the engine does for each block or slab, launch after launch.
        self.engine: dict[Cell, list[Operation]] = {}

    def sender(self, rank: int, core: int, launch: int) -> list[Operation]:
        todo = super().sender(rank, core, launch)
        if "no quiet at kernel end" in self.spoilt:
            return todo
        done = [("done", op.writes[0][0]) for op in todo if isinstance(op, Store) and op.writes[0][0] in self.engine]
        return [*todo, *(Wait(cell, launch) for cell in done)]

    def send(self, rank: int, target: int, core: int, block: int, launch: int) -> list[Operation]:
        if self.kind == "signal" and self.unit == "peer":
            return []  # one put with all blocks, when the peer is announced
        todo = self.put(rank, target, core, [block], launch)
        if self.kind == "notify" and self.unit == "block":
            todo += super().announce(rank, target, core, block, launch)
        return todo

    def announce(self, rank: int, target: int, core: int, block: int, launch: int) -> list[Operation]:
        mine = [b for b in self.blocks(launch) if b % self.scenario.senders == core]
        if self.kind == "signal" and mine:
            return self.put(rank, target, core, mine, launch)
        return super().announce(rank, target, core, block, launch)

    def put(self, rank: int, target: int, core: int, blocks: list[int], launch: int) -> list[Operation]:
        """Pack blocks and hand them over in one request, with a quiet where something else is to announce them."""
        asked: Cell = ("asked", rank, target, core, blocks[0])
        done = ("done", asked)
        travelling = [Wait(asked, launch, at_least=True), *self.travel(rank, target, core, blocks, launch)]
        self.engine.setdefault(asked, []).extend([*travelling, Store(((done, launch),))])
        packed = [Store(((("packed", rank, target, block), self.content(block, launch)),)) for block in blocks]
        todo: list[Operation] = [*packed, Store(((asked, launch),))]
        quiet = self.kind in ("notify", "barrier") and "no quiet" not in self.spoilt
        return [*todo, Wait(done, launch)] if quiet else todo

    def travel(self, rank: int, target: int, core: int, blocks: list[int], launch: int) -> list[Operation]:
        """What a put does: each block, and the word or flag that it brings along."""
        word: tuple[Cell, int] = (self.word(rank, target, core, blocks[0], launch), self.value(launch))
        todo: list[Operation] = []
        for block in blocks:
            content = self.content(block, launch)
            datum: tuple[Cell, int] = (self.datum(rank, target, block, launch), content)
            todo.append(Read(("packed", rank, target, block), content))
            if self.kind == "flag":
                flag: tuple[Cell, int] = (self.word(rank, target, core, block, launch), self.value(launch))
                apart: list[Operation] = [Store((flag,)), Store((datum,))]
                todo += apart if "flag before data" in self.spoilt else [Store((datum, flag))]
            else:
                todo.append(Store((datum,)))
        if self.kind == "signal":
            todo.insert(0 if "signal before data" in self.spoilt else len(todo), Store((word,)))
        return todo
