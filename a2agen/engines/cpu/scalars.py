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
        if not isinstance(other, int) or type(other) is Behind:
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
    """An integer out of `dl.consume_token`, or computed from one: a pointer that it is added to, and an access that
    stores it, come after the waits of its tokens. Conditions, comparisons, bounds of loops and arguments of other
    operations count as use of the tokens."""

    tokens: tuple[Any, ...]
    wide: bool

    def __new__(cls, value: int, tokens: tuple[Used, ...]) -> Behind:
        self = super().__new__(cls, value)
        self.tokens = tokens
        self.wide = isinstance(value, Int64)
        return self

    @property
    def plain(self) -> int:
        """The integer that it was."""
        value = int.__int__(self)
        return Int64(value) if self.wide else value

    def used(self) -> int:
        """The integer that it was, for a use of it."""
        for token in self.tokens:
            token.use()
        return self.plain


def carried(how: Callable[..., Any], *values: Any) -> Any:
    """What a function of numbers gives, behind the waits of all of them; what is no integer then counts as use."""
    tokens: dict[Used, None] = {}
    for value in values:
        if type(value) is Behind:
            tokens.update(dict.fromkeys(value.tokens))
    result = how(*[value.plain if type(value) is Behind else value for value in values])
    if tokens and isinstance(result, int):
        return Behind(result, tuple(tokens))
    for token in tokens:
        token.use()
    return result


def _carried(how: Callable[..., Any], swap: bool = False) -> Callable[..., Any]:
    def method(self: Behind, *others: Any) -> Any:
        if others and not isinstance(others[0], int | float):
            return NotImplemented
        return carried(how, *others, self) if swap else carried(how, self, *others)

    return method


def _used(name: str) -> Callable[..., Any]:
    def method(self: Behind, *others: Any) -> Any:
        value = self.used()
        return getattr(type(value), name)(value, *map(plain, others))

    return method


_BINARY = ("add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift")
for _name in _BINARY:
    _how = getattr(operator, _name)
    setattr(Behind, f"__{_name.rstrip('_')}__", _carried(_how))
    setattr(Behind, f"__r{_name.rstrip('_')}__", _carried(_how, swap=True))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Behind, f"__{_name}__", _carried(getattr(operator, _name)))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "hash", "bool", "int", "float"):
    setattr(Behind, f"__{_name}__", _used(f"__{_name}__"))


def plain(value: Any) -> Any:
    """A value that an operation uses, without the waits that it may come after."""
    return value.used() if type(value) is Behind else value
