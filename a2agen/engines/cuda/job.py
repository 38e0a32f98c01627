"""What the ranks of a run are told: a JSON file, so that they need nothing of the compiler."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import Any

Factors = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A tensor of the exchange: its name, the language's name of its type, its merged axes, outer first."""

    name: str
    dtype: str
    factors: Factors
    strided: bool = False

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(axis for group in self.factors for axis in group)

    def shape(self, extents: dict[str, int]) -> tuple[int, ...]:
        return tuple(prod(extents[axis] for axis in group) for group in self.factors)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One tensor in, with a `to` axis, one out, with a `from` axis; `ranks` names their number, `dims` the rest."""

    ranks: str
    dims: tuple[str, ...]
    source: Layout
    result: Layout


@dataclass(frozen=True, slots=True)
class Job:
    """One schedule at one shape: `folder` has its kernel.py and launcher.py.

    `delays`: the most microseconds by which a rank is held up on the device before a launch, at random.
    `threads`: ranks are threads of one process, which share the GPUs. `cores` overrides the launcher's number.
    `batches`: of how many batches of launches the times are taken, 0 for a run that takes none. `capturable`: whether
    a CUDA graph can hold a launch. `link`: that of the operator to take, where the launcher chooses between several.
    `nvshmem`: symmetric memory is NVSHMEM's, as puts need it that leave the node.
    """

    folder: str
    exchange: Exchange
    values: dict[str, int]
    launches: int = 3
    seed: int = 0
    delays: float = 0.0
    threads: bool = False
    cores: int | None = None
    batches: int = 0
    capturable: bool = True
    link: str | None = None
    nvshmem: bool = False

    @property
    def ranks(self) -> int:
        return self.values[self.exchange.ranks]

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")


def load(path: Path) -> Job:
    """The job that `save` wrote."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    exchange = data.pop("exchange")
    return Job(exchange=_exchange(exchange), **data)


def _exchange(data: dict[str, Any]) -> Exchange:
    source, result = (_layout(data[name]) for name in ("source", "result"))
    return Exchange(data["ranks"], tuple(data["dims"]), source, result)


def _layout(data: dict[str, Any]) -> Layout:
    factors = tuple(tuple(group) for group in data["factors"])
    return Layout(data["name"], data["dtype"], factors, data["strided"])
