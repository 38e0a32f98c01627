"""The tables of peers that kernels get: which heap an argument lies in, and where that of each rank is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

_TABLES: dict[int, Any] = {}


def layout(rank: int, bases: Sequence[int]) -> list[int]:
    """The entries of a rank's table: its number, how many ranks there are, the bytes from its heap to each rank's
    (`bases` are the addresses of the heaps as this rank sees them; 0 where it sees none), and a word that nobody
    reads."""
    return [rank, len(bases), *(base - bases[rank] for base in bases), 0]


def register(address: int, table: Any) -> None:
    """Memory from this address on lies in the heap that `table`, an int64 tensor on its device, is of."""
    _TABLES[address] = table


def forget(address: int) -> None:
    _TABLES.pop(address, None)


def table_of(arguments: Iterable[Any]) -> Any:
    """The table for a launch: that of the first argument in a symmetric heap. Raises ValueError where none lies in
    one."""
    for argument in arguments:
        if hasattr(argument, "data_ptr"):
            table = _TABLES.get(argument.data_ptr())
            if table is not None:
                return table
    raise ValueError("a launch without a tensor in symmetric memory: no argument says which ranks are the peers")
