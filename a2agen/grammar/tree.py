"""The syntax tree: what a spec says, word for word, before names are bound.

Every node carries the span it was written at. Statements of one kind are kept in the order they were written,
repetitions included: whether a second `ranks` is a fault is judged where names are bound.

A block (a file, an exchange, a schedule, a phase) is `damaged` when a statement inside it could not be read and is
therefore missing from the tree; whoever checks a damaged block must not complain about what it seems to lack. `head` is
the span from a block's keyword to its last name.
"""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    """A name that the spec gives or uses: an axis, a tensor, a buffer, a role, a machine, ..."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the language where it was a choice: `all`, `even`, `notify`, `per block`, `symmetric`, ..."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Integer:
    """A number, 0 <= value < 2**63."""

    value: int
    span: Span


# Exchanges


@dataclass(frozen=True, slots=True)
class RanksDecl:
    """`ranks NAME in LOW..HIGH`"""

    name: Name
    low: Integer
    high: Integer
    span: Span


@dataclass(frozen=True, slots=True)
class DimDecl:
    """`dim NAME in LOW..HIGH`"""

    name: Name
    low: Integer
    high: Integer
    span: Span


@dataclass(frozen=True, slots=True)
class Power:
    """`BASE` or `BASE**EXPONENT`; when the base is a number, the value is below 2**63."""

    base: Name | Integer
    exponent: Integer | None
    span: Span


@dataclass(frozen=True, slots=True)
class Product:
    """`POWER * POWER * ...`, at least one."""

    factors: tuple[Power, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class WhereDecl:
    """`where LEFT <= RIGHT`"""

    left: Product
    right: Product
    span: Span


@dataclass(frozen=True, slots=True)
class LayoutDecl:
    """`[FACTOR ...]`, outermost factor first; each factor is its axes, outer first: `(to S)` is two, `H` is one."""

    factors: tuple[tuple[Name, ...], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TensorDecl:
    """`in NAME : DTYPE LAYOUT strided`; the direction is `in` or `out`."""

    direction: Word
    name: Name
    dtype: Name
    layout: LayoutDecl
    strided: Word | None
    span: Span


@dataclass(frozen=True, slots=True)
class Binding:
    """`NAME = VALUE`"""

    name: Name
    value: Integer
    span: Span


@dataclass(frozen=True, slots=True)
class CaseDecl:
    """`case NAME { BINDING, ... }`"""

    name: Name
    bindings: tuple[Binding, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ExchangeDecl:
    """`exchange NAME { ... }`"""

    name: Name
    ranks: tuple[RanksDecl, ...]
    dims: tuple[DimDecl, ...]
    wheres: tuple[WhereDecl, ...]
    tensors: tuple[TensorDecl, ...]
    cases: tuple[CaseDecl, ...]
    damaged: bool
    head: Span
    span: Span


# Schedules


@dataclass(frozen=True, slots=True)
class TargetDecl:
    """`target NAME`"""

    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class EmitDecl:
    """`emit BACKEND`"""

    backend: Name
    span: Span


@dataclass(frozen=True, slots=True)
class CoresDecl:
    """`cores COUNT`"""

    count: Integer
    span: Span


@dataclass(frozen=True, slots=True)
class OverlayDecl:
    """`overlay HOST[self]`"""

    host: Name
    span: Span


@dataclass(frozen=True, slots=True)
class BufferDecl:
    """`buffer NAME : LAYOUT` and its options, each as often as it was written.

    `homes` are the words `symmetric` and `local`; `slots` and `aligns` (bytes) are the numbers given.
    """

    name: Name
    layout: LayoutDecl
    homes: tuple[Word, ...]
    per_block: tuple[Word, ...]
    slots: tuple[Integer, ...]
    flagged: tuple[Word, ...]
    overlays: tuple[OverlayDecl, ...]
    aligns: tuple[Integer, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class PlaceDecl:
    """`place TENSOR symmetric`"""

    tensor: Name
    home: Word
    span: Span


@dataclass(frozen=True, slots=True)
class BlockDecl:
    """`block AXIS by SIZE`"""

    axis: Name
    size: Integer
    span: Span


@dataclass(frozen=True, slots=True)
class RoleDecl:
    """`role NAME : PART, ...`, each part as often as it was written.

    `classes` are the words `even`, `odd`, `all` and `host`; `rest_of` are the roles named after `rest of`.
    """

    name: Name
    classes: tuple[Word, ...]
    one_per_peer: tuple[Word, ...]
    rest_of: tuple[Name, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RoundsDecl:
    """`rounds MODE`; the mode is `reset` or `epoch`."""

    mode: Word
    span: Span


# Phases


@dataclass(frozen=True, slots=True)
class MoveDecl:
    """`move SOURCE -> DESTINATION for SCOPE`; the scope is `all`, `others` or `self`, None when it was left out."""

    source: Name
    destination: Name
    scope: Word | None
    span: Span


@dataclass(frozen=True, slots=True)
class LinkDecl:
    """`link NAME (OPTION ...)`, each option as often as it was written.

    `qps n` and `submit batch n` keep the number, `complete each` and `complete end` the word `each` or `end`, `split`
    the word `split`, `relay next` the word `next`.
    """

    name: Name
    qps: tuple[Integer, ...]
    splits: tuple[Word, ...]
    batches: tuple[Integer, ...]
    completes: tuple[Word, ...]
    relays: tuple[Word, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class TileExtent:
    """`AXIS EXTENT`"""

    axis: Name
    extent: Integer
    span: Span


@dataclass(frozen=True, slots=True)
class TileDecl:
    """`tile AXIS EXTENT, ...`"""

    extents: tuple[TileExtent, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ReadyDecl:
    """`ready MODE per UNIT`.

    The mode is `none`, `barrier`, `notify`, `signal` or `flag`. The unit is `tile`, `block` or `peer` for `notify`,
    `block` or `peer` for `signal`, None for the others.
    """

    mode: Word
    unit: Word | None
    span: Span


@dataclass(frozen=True, slots=True)
class FreeDecl:
    """`free MODE per UNIT`.

    The mode is `none`, `credit` or `barrier`. The unit is `tile` or `peer` for `credit`, None for the others.
    """

    mode: Word
    unit: Word | None
    span: Span


@dataclass(frozen=True, slots=True)
class OrderDecl:
    """`order MODE`; the only mode is `staggered`."""

    mode: Word
    span: Span


@dataclass(frozen=True, slots=True)
class PhaseDecl:
    """`phase NAME on ROLE { ... }`"""

    name: Name
    role: Name
    moves: tuple[MoveDecl, ...]
    links: tuple[LinkDecl, ...]
    tiles: tuple[TileDecl, ...]
    readies: tuple[ReadyDecl, ...]
    frees: tuple[FreeDecl, ...]
    orders: tuple[OrderDecl, ...]
    damaged: bool
    head: Span
    span: Span


@dataclass(frozen=True, slots=True)
class ScheduleDecl:
    """`schedule NAME for EXCHANGE { ... }`"""

    name: Name
    exchange: Name
    targets: tuple[TargetDecl, ...]
    emits: tuple[EmitDecl, ...]
    cores: tuple[CoresDecl, ...]
    buffers: tuple[BufferDecl, ...]
    places: tuple[PlaceDecl, ...]
    blocks: tuple[BlockDecl, ...]
    roles: tuple[RoleDecl, ...]
    phases: tuple[PhaseDecl, ...]
    rounds: tuple[RoundsDecl, ...]
    damaged: bool
    head: Span
    span: Span


# Files


@dataclass(frozen=True, slots=True)
class Suppression:
    """`# a2a: allow[CODE] reason`.

    `covers` is where findings of that code are allowed: the line, for a comment after something; the statement or block
    that follows, for a comment on lines of its own. The reason may be empty.
    """

    code: Name
    reason: str
    covers: Span
    span: Span


@dataclass(frozen=True, slots=True)
class File:
    """A whole spec. It is damaged when an exchange or a schedule is missing from it."""

    exchanges: tuple[ExchangeDecl, ...]
    schedules: tuple[ScheduleDecl, ...]
    suppressions: tuple[Suppression, ...]
    damaged: bool
    span: Span
