"""Scalars of a kernel: Python integers, those that were cast to 64 bits, and those that come after a wait."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol


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


def truncated(a: int, b: int) -> int:
    """The quotient, cut towards zero."""
    down = a // b
    return down + 1 if down < 0 and down * b != a else down


class Used(Protocol):
    """A token, as far as numbers know of it."""

    def use(self) -> None: ...


class Behind(int):
    """An integer out of `dl.consume_token`, as it is: a pointer that it is added to, and an access that stores it, come
    after the wait of the token. Whatever else is done with it counts as use of the token, and gives a plain integer."""

    token: Any
    wide: bool

    def __new__(cls, value: int, token: Used) -> Behind:
        self = super().__new__(cls, value)
        self.token = token
        self.wide = isinstance(value, Int64)
        return self

    @property
    def plain(self) -> int:
        """The integer that it was."""
        value = int.__int__(self)
        return Int64(value) if self.wide else value

    def used(self) -> int:
        """The integer that it was, for a use of it."""
        self.token.use()
        return self.plain


def _used(name: str) -> Callable[..., Any]:
    def method(self: Behind, *others: Any) -> Any:
        value = self.used()
        return getattr(type(value), name)(value, *map(plain, others))

    return method


_BINARY = ("add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")
_OTHER = ("lt", "le", "gt", "ge", "eq", "ne", "hash", "bool", "neg", "pos", "abs", "invert", "int", "float")
for _name in (*_BINARY, *(f"r{name}" for name in _BINARY), *_OTHER):
    setattr(Behind, f"__{_name}__", _used(f"__{_name}__"))


def plain(value: Any) -> Any:
    """A value that an operation uses, without the wait that it may come after."""
    return value.used() if type(value) is Behind else value
