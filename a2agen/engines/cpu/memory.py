"""Memory of the ranks: allocations, the part of one that a pointer may reach, pointers and their regions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, prod
from typing import Any

import numpy as np

from a2agen.engines.cpu.affine import Affine, add_strides
from a2agen.engines.cpu.blocks import POISON, Array, Block, Shape, broadcast
from a2agen.engines.cpu.dtypes import DType
from a2agen.engines.cpu.errors import OffsetOverflow, UnsupportedError
from a2agen.engines.cpu.scalars import Behind, Int64
from a2agen.engines.cpu.shadow import Shadow
from a2agen.engines.cpu.words import Word

INT32_MAX = 2**31 - 1


class Allocation:
    """One allocation: `symmetric` ones exist on every rank, local ones on `owner` alone. Contents start undefined."""

    __slots__ = ("memory", "name", "nbytes", "owner", "shadows", "symmetric", "waiters", "words")

    def __init__(self, name: str, nbytes: int, ranks: int, owner: int | None) -> None:
        self.name = name
        self.nbytes = nbytes
        self.owner = owner
        self.symmetric = owner is None
        places = range(ranks)
        here = [owner is None or owner == r for r in places]
        self.memory: list[Array | None] = [np.full(nbytes, POISON, np.uint8) if h else None for h in here]
        self.shadows = [Shadow(nbytes) if h else None for h in here]
        # Signal words by their byte, for words that a notify or wait has touched.
        self.words: list[dict[int, Word]] = [{} for _ in places]
        # How many cores wait for words here, so that a store knows whether to look.
        self.waiters = 0

    def free(self, rank: int) -> None:
        """Give one rank's part back; what still points there is out of bounds."""
        self.memory[rank] = None
        self.shadows[rank] = None


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Axes of a tensor, outer first, with their extents; elements of the innermost lie `step` apart."""

    axes: tuple[tuple[str, int], ...]
    step: int

    def of(self, element: int, elements: int) -> str | None:
        """An element's coordinates in words; None where it lies between, or a tensor of so many has other axes."""
        if element % self.step or elements != prod(n for _, n in self.axes) * self.step:
            return None
        rest = element // self.step
        places = []
        for name, extent in reversed(self.axes):
            rest, place = divmod(rest, extent)
            places.append(f"{name} {place}")
        return ", ".join(reversed(places))


class Span:
    """The bytes [low, high) of an allocation that pointers made of one tensor may reach."""

    __slots__ = ("allocation", "axes", "dtype", "high", "low", "name")

    def __init__(
        self, allocation: Allocation, low: int, high: int, name: str, dtype: DType, axes: Coordinates | None = None
    ) -> None:
        self.axes = axes
        self.allocation = allocation
        self.low = low
        self.high = high
        self.name = name
        self.dtype = dtype

    def place(self, byte: int, rank: int) -> str:
        """A byte in words: element of the tensor and rank."""
        return f"{self.name}[{self.element(byte)}] at rank {rank}"

    def element(self, byte: int) -> str:
        """The coordinates of a byte's element where the axes are known and the tensor's size is theirs, else its
        number."""
        size = self.dtype.itemsize
        number = (byte - self.low) // size
        shown = None
        if self.axes is not None and byte < self.high:
            shown = self.axes.of(number, (self.high - self.low) // size)
        return str(number) if shown is None else shown


class Token:
    """What a wait returns: a pointer that carries it comes after what the word's writer had done.

    The sum of tokens, a number to begin with or not, comes after all of them. `consumed`: it was given to
    `dl.consume_token`; `used`: what came out of that has reached an operation. Without checks `clock` is None.
    """

    __slots__ = ("clock", "consumed", "parts", "used")

    def __init__(self, clock: Array | None, parts: tuple[Token, ...] = ()) -> None:
        self.clock: Any = clock
        self.parts = parts
        self.consumed = False
        self.used = False

    def __add__(self, other: Token | int) -> Token:
        if isinstance(other, int):
            return self
        if not isinstance(other, Token):
            return NotImplemented
        clocks = [t.clock for t in (self, other) if t.clock is not None]
        return Token(np.maximum(*clocks) if len(clocks) == 2 else clocks[0] if clocks else None, (self, other))

    __radd__ = __or__ = __ror__ = __add__

    def _not_joined(self, _: Any) -> Token:
        raise UnsupportedError("an operation on tokens of waits: they are joined by + or |")

    __sub__ = __rsub__ = __mul__ = __rmul__ = __and__ = __rand__ = __xor__ = __rxor__ = _not_joined

    def consume(self) -> None:
        self.consumed = True
        if self.parts:
            for token in self.waits():
                token.consumed = True

    def use(self) -> None:
        self.used = True
        if self.parts:
            for token in self.waits():
                token.used = True

    def waits(self) -> Iterator[Token]:
        """The tokens of single waits that it is made of."""
        stack = [self]
        while stack:
            token = stack.pop()
            if token.parts:
                stack += token.parts
            else:
                yield token


@dataclass(frozen=True, slots=True)
class PointerType:
    """The type of a pointer, as kernels ask for it."""

    element_ty: DType


class Pointer:
    """A pointer or a block of them: `base` bytes into the allocation at `rank`, then affine or listed offsets."""

    __slots__ = ("base", "element", "listed", "rank", "shape", "span", "strides", "tokens")
    __array_ufunc__ = None

    def __init__(
        self,
        span: Span,
        element: DType,
        rank: int,
        base: int,
        shape: Shape = (),
        strides: Shape = (),
        tokens: tuple[Token, ...] = (),
        listed: Array | None = None,
    ) -> None:
        self.span = span
        self.element = element
        self.rank = rank
        self.base = base
        self.shape = shape
        self.strides = strides
        self.tokens = tokens
        self.listed = listed

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnsupportedError(f".{name} of a pointer")

    @property
    def dtype(self) -> PointerType:
        return PointerType(self.element)

    def __add__(self, other: Any) -> Pointer:
        element, base = self.element, self.base
        if type(other) is int and -INT32_MAX <= other <= INT32_MAX:
            at = base + other * element.itemsize
            return Pointer(self.span, element, self.rank, at, self.shape, self.strides, self.tokens, self.listed)
        if type(other) is Affine and self.listed is None:
            first = other.start
            if type(first) is Behind:
                moved = self + Affine(first.plain, other.shape, other.strides)
                return moved.carrying(first.tokens)
            if not -INT32_MAX <= first <= INT32_MAX and type(first) is not Int64:
                raise OffsetOverflow(f"the offset {first} leaves 32 bits and no operand was cast to tl.int64")
            shape, strides = add_strides(self, other)
            at = base + first * element.itemsize
            return Pointer(self.span, element, self.rank, at, shape, strides, self.tokens)
        if type(other) is Behind:
            moved = self + other.plain
            return moved.carrying(other.tokens)
        if isinstance(other, int):
            if type(other) is int:
                raise OffsetOverflow(f"the offset {other} leaves 32 bits and no operand was cast to tl.int64")
            at = base + other * element.itemsize
            return Pointer(self.span, element, self.rank, at, self.shape, self.strides, self.tokens, self.listed)
        if isinstance(other, Block):
            shape = broadcast(self.shape, other.shape)
            listed = np.broadcast_to(self.offsets() + other.dense(), shape)
            return Pointer(self.span, element, self.rank, base, shape, (), self.tokens, listed)
        raise UnsupportedError(f"a pointer plus {type(other).__name__}")

    __radd__ = __add__

    def __sub__(self, other: Any) -> Pointer:
        return self.__add__(-other)

    def offsets(self) -> Array:
        """The element offsets from `base`."""
        if self.listed is not None:
            return self.listed
        return Affine(0, self.shape, self.strides).dense()

    def to(self, dtype: Any, **_: Any) -> Pointer:
        """The same address with another element type."""
        if not isinstance(dtype, PointerType):
            raise UnsupportedError(f"a pointer cast to {dtype!r}")
        if self.shape:
            raise UnsupportedError("a cast of a block of pointers")
        return Pointer(self.span, dtype.element_ty, self.rank, self.base, tokens=self.tokens)

    def carrying(self, more: tuple[Token, ...]) -> Pointer:
        """The pointer that also comes after waits."""
        tokens = tuple(dict.fromkeys((*self.tokens, *more)))
        return Pointer(self.span, self.element, self.rank, self.base, self.shape, self.strides, tokens, self.listed)

    def at(self, rank: int) -> Pointer:
        """The same place in the memory of another rank."""
        return Pointer(self.span, self.element, rank, self.base, self.shape, self.strides, self.tokens, self.listed)


class Region:
    """The bytes of a strided access from its first element on, whatever its start.

    `low` and `high` bound it relative to the start; `run` contiguous bytes repeat over `outer` (count, stride) pairs
    from `low` on; `grain` divides the run and all strides.
    """

    __slots__ = ("grain", "high", "low", "outer", "run", "shape", "strides", "views")

    def __init__(self, shape: Shape, strides: Shape, itemsize: int) -> None:
        self.shape = shape
        self.strides = tuple(s * itemsize for s in strides)
        moves = [(n, s) for n, s in zip(shape, self.strides, strict=True) if n > 1 and s]
        self.low = sum((n - 1) * s for n, s in moves if s < 0)
        self.high = sum((n - 1) * s for n, s in moves if s > 0) + itemsize
        outer: list[tuple[int, int]] = []
        run = itemsize
        for n, stride in sorted(((n, abs(s)) for n, s in moves), key=lambda move: move[1]):
            if stride == run and not outer:
                run *= n
            else:
                outer.append((n, stride))
        self.run = run
        self.outer = tuple(reversed(outer))
        self.grain = gcd(run, *(s for _, s in outer))
        self.views: dict[int, tuple[Shape, Shape]] = {}

    def view(self, grain: int) -> tuple[Shape, Shape]:
        """Shape and strides over 64-bit entries, one for each `grain` bytes."""
        found = self.views.get(grain)
        if found is None:
            pairs = [(n, s // grain * 8) for n, s in self.outer]
            if self.run > grain or not pairs:
                pairs.append((self.run // grain, 8))
            found = self.views[grain] = (tuple(n for n, _ in pairs), tuple(s for _, s in pairs))
        return found


_regions: dict[tuple[Shape, Shape, int], Region] = {}


def region(shape: Shape, strides: Shape, itemsize: int) -> Region:
    """The region of an access; the same few come again and again."""
    key = (shape, strides, itemsize)
    found = _regions.get(key)
    if found is None:
        if len(_regions) > 4096:
            _regions.clear()
        found = _regions[key] = Region(shape, strides, itemsize)
    return found


def run_of(nbytes: int) -> Region:
    """A contiguous run of bytes."""
    return region((nbytes,), (1,), 1)
