"""What is known of an exchange, also where not all of it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from a2agen.ir.model import Exchange, Storage
from a2agen.passes.resolve.names import Names


@dataclass(slots=True)
class ExchangeScope:
    """The names that an exchange gives to its schedules.

    `damaged`: some of them could not be read or are missing, so that a name which is not here is no fault. `exchange`
    is None where something that schedules build on is at fault. A tensor is None where its layout or type is.
    """

    name: str
    damaged: bool = False
    ranks: str | None = None
    # In order, each looked up by many names: a dictionary for its keys.
    dims: dict[str, None] = field(default_factory=dict)
    tensors: dict[str, Storage | None] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    exchange: Exchange | None = None

    @property
    def extents(self) -> list[str]:
        return [*([self.ranks] if self.ranks else []), *self.dims]
