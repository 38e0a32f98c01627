"""Integer expressions over named values: extents, loop variables, a kernel's arguments.

All values are non-negative, so every expression but `Sub` and `Mod` grows with each of its names. Operators fold
constants and drop neutral elements, so that what is printed reads as if written by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


class Expr:
    """Base of all expressions. Immutable; compares by structure."""

    __slots__ = ()

    def __add__(self, other: Expr | int) -> Expr:
        return add(self, wrap(other))

    def __radd__(self, other: int) -> Expr:
        return add(wrap(other), self)

    def __sub__(self, other: Expr | int) -> Expr:
        right = wrap(other)
        if right == Const(0):
            return self
        if isinstance(self, Const) and isinstance(right, Const):
            return Const(self.value - right.value)
        return Sub(self, right)

    def __mul__(self, other: Expr | int) -> Expr:
        return mul(self, wrap(other))

    def __rmul__(self, other: int) -> Expr:
        return mul(wrap(other), self)

    def __floordiv__(self, other: Expr | int) -> Expr:
        right = wrap(other)
        if right == Const(1):
            return self
        if isinstance(self, Const) and isinstance(right, Const):
            return Const(self.value // right.value)
        return FloorDiv(self, right)

    def __mod__(self, other: Expr | int) -> Expr:
        right = wrap(other)
        if right == Const(1):
            return Const(0)
        if isinstance(self, Const) and isinstance(right, Const):
            return Const(self.value % right.value)
        return Mod(self, right)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value, given one for each name. Raises KeyError where one is missing."""
        raise NotImplementedError

    def children(self) -> tuple[Expr, ...]:
        return ()

    def names(self) -> Iterator[str]:
        """The names in it, in order of appearance, repeated where they repeat."""
        for child in self.children():
            yield from child.names()

    def __str__(self) -> str:
        return show(self)


@dataclass(frozen=True, slots=True)
class Const(Expr):
    value: int

    def evaluate(self, values: Mapping[str, int]) -> int:  # noqa: ARG002
        return self.value

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class Sym(Expr):
    name: str

    def evaluate(self, values: Mapping[str, int]) -> int:
        return values[self.name]

    def names(self) -> Iterator[str]:
        yield self.name

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class Add(Expr):
    terms: tuple[Expr, ...]

    def evaluate(self, values: Mapping[str, int]) -> int:
        return sum(t.evaluate(values) for t in self.terms)

    def children(self) -> tuple[Expr, ...]:
        return self.terms

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class Mul(Expr):
    factors: tuple[Expr, ...]

    def evaluate(self, values: Mapping[str, int]) -> int:
        product = 1
        for factor in self.factors:
            product *= factor.evaluate(values)
        return product

    def children(self) -> tuple[Expr, ...]:
        return self.factors

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class _Binary(Expr):
    left: Expr
    right: Expr

    def children(self) -> tuple[Expr, ...]:
        return (self.left, self.right)

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class Sub(_Binary):
    def evaluate(self, values: Mapping[str, int]) -> int:
        return self.left.evaluate(values) - self.right.evaluate(values)

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class FloorDiv(_Binary):
    def evaluate(self, values: Mapping[str, int]) -> int:
        return self.left.evaluate(values) // self.right.evaluate(values)

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class CeilDiv(_Binary):
    def evaluate(self, values: Mapping[str, int]) -> int:
        return -(-self.left.evaluate(values) // self.right.evaluate(values))

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class Mod(_Binary):
    def evaluate(self, values: Mapping[str, int]) -> int:
        return self.left.evaluate(values) % self.right.evaluate(values)

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class Min(_Binary):
    def evaluate(self, values: Mapping[str, int]) -> int:
        return min(self.left.evaluate(values), self.right.evaluate(values))

    __str__ = Expr.__str__


@dataclass(frozen=True, slots=True)
class Max(_Binary):
    def evaluate(self, values: Mapping[str, int]) -> int:
        return max(self.left.evaluate(values), self.right.evaluate(values))

    __str__ = Expr.__str__


def wrap(value: Expr | int) -> Expr:
    return Const(value) if isinstance(value, int) else value


def add(*terms: Expr | int) -> Expr:
    """The sum, flattened, with equal terms as one and its constants folded into one at the end."""
    constant, parts = 0, list[Expr]()
    for term in map(wrap, terms):
        for part in term.terms if isinstance(term, Add) else (term,):
            if isinstance(part, Const):
                constant += part.value
                continue
            times, what = _times(part)
            place = next((n for n, other in enumerate(parts) if _times(other)[1] == what), None)
            if place is None:
                parts.append(part)
            else:
                parts[place] = mul(times + _times(parts[place])[0], what)
    if constant or not parts:
        parts.append(Const(constant))
    return parts[0] if len(parts) == 1 else Add(tuple(parts))


def _times(term: Expr) -> tuple[int, Expr]:
    """A term as a constant times something."""
    factors = term.factors if isinstance(term, Mul) else (term,)
    constant = next((factor for factor in factors if isinstance(factor, Const)), None)
    if constant is None:
        return 1, term
    return constant.value, mul(*(factor for factor in factors if factor is not constant))


def mul(*factors: Expr | int) -> Expr:
    """The product, flattened, with its constants folded into one where the first of them stood."""
    constant, place, parts = 1, None, list[Expr]()
    for factor in map(wrap, factors):
        for part in factor.factors if isinstance(factor, Mul) else (factor,):
            if isinstance(part, Const):
                constant *= part.value
                place = len(parts) if place is None else place
            else:
                parts.append(part)
    if constant == 0 or not parts:
        return Const(constant)
    if constant != 1 and place is not None:
        parts.insert(place, Const(constant))
    return parts[0] if len(parts) == 1 else Mul(tuple(parts))


def ceil_div(left: Expr | int, right: Expr | int) -> Expr:
    left, right = wrap(left), wrap(right)
    if right == Const(1):
        return left
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(-(-left.value // right.value))
    return CeilDiv(left, right)


def horner(indices: list[tuple[Expr, Expr]]) -> Expr:
    """The row-major offset of (index, extent) pairs, outer first: ((i0 * n1 + i1) * n2 + i2) …"""
    offset: Expr = Const(0)
    for index, extent in indices:
        offset = offset * extent + index
    return offset


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with some names replaced, simplified as if it had been built that way."""
    parts = [substitute(child, values) for child in expr.children()]
    match expr:
        case Sym(name):
            return values.get(name, expr)
        case Add():
            return add(*parts)
        case Mul():
            return mul(*parts)
        case Sub():
            return parts[0] - parts[1]
        case FloorDiv():
            return parts[0] // parts[1]
        case CeilDiv():
            return ceil_div(parts[0], parts[1])
        case Mod():
            return parts[0] % parts[1]
        case Min() | Max():
            return type(expr)(parts[0], parts[1])
    return expr


# How tightly an expression binds when printed: a sum needs parentheses in a product.
_SUM, _PRODUCT, _ATOM = 0, 1, 2


def show(expr: Expr, names: Mapping[str, str] | None = None) -> str:
    """The expression as text that reads the same in Python, with `cdiv`, `min` and `max` as functions.

    `names` gives other words for some names, and for the operator `//`.
    """
    return _show(expr, names or {})[0]


def _show(expr: Expr, names: Mapping[str, str]) -> tuple[str, int]:
    def at(child: Expr, level: int) -> str:
        text, binds = _show(child, names)
        return text if binds >= level else f"({text})"

    match expr:
        case Const(value):
            return str(value), _ATOM if value >= 0 else _SUM
        case Sym(name):
            return names.get(name, name), _ATOM
        case Add(terms):
            return " + ".join(at(t, _SUM) for t in terms), _SUM
        case Sub(left, right):
            return f"{at(left, _SUM)} - {at(right, _PRODUCT)}", _SUM
        case Mul(factors):
            first, *rest = factors
            return " * ".join([at(first, _PRODUCT), *(at(f, _ATOM) for f in rest)]), _PRODUCT
        case FloorDiv(left, right):
            return f"{at(left, _PRODUCT)} {names.get('//', '//')} {at(right, _ATOM)}", _PRODUCT
        case Mod(left, right):
            return f"{at(left, _PRODUCT)} % {at(right, _ATOM)}", _PRODUCT
        case CeilDiv(left, right):
            return f"{names.get('cdiv', 'cdiv')}({at(left, _SUM)}, {at(right, _SUM)})", _ATOM
        case Min(left, right):
            return f"{names.get('min', 'min')}({at(left, _SUM)}, {at(right, _SUM)})", _ATOM
        case Max(left, right):
            return f"{names.get('max', 'max')}({at(left, _SUM)}, {at(right, _SUM)})", _ATOM
    raise TypeError(f"not an expression: {expr!r}")
