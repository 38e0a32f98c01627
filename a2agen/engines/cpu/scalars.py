"""Scalars of a kernel: Python integers, and those that were cast to 64 bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


class Int64(int):
    """An integer that was cast to 64 bits; so is what is computed from it."""

    __slots__ = ()


def _wide(how: Callable[[int, int], int], swap: bool = False) -> Callable[[Int64, Any], Any]:
    def method(self: Int64, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        a, b = int(self), int(other)
        return Int64(how(b, a) if swap else how(a, b))

    return method


for _name, _how in (
    ("add", operator.add),
    ("sub", operator.sub),
    ("mul", operator.mul),
    ("floordiv", operator.floordiv),
    ("mod", operator.mod),
):
    setattr(Int64, f"__{_name}__", _wide(_how))
    setattr(Int64, f"__r{_name}__", _wide(_how, swap=True))
