"""Makes the nodes of the syntax tree from what the rules of the grammar have matched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from a2agen.grammar import tree
from a2agen.grammar.scan import LARGEST, Token
from a2agen.source import Span

MAX_FACTORS = 64
MAX_EXPONENT = 63

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """What stands in for a node that cannot be made; the statement around it is dropped."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Option:
    """A part of a statement that may come in any order and number, by the name of its rule."""

    rule: str
    value: object


@dataclass(frozen=True, slots=True)
class Factor:
    """The axes of one factor of a layout."""

    axes: tuple[tree.Name, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """What a rule has matched: its parts that carry meaning, in order.

    For a block also the head, and whether it is damaged.
    """

    parts: tuple[object, ...]
    span: Span
    head: Span
    damaged: bool

    def all(self, kind: type[T]) -> tuple[T, ...]:
        return tuple(part for part in self.parts if isinstance(part, kind))

    def one(self, kind: type[T], index: int = 0) -> T:
        return self.all(kind)[index]

    def word(self, index: int = 0) -> tree.Word:
        token = self.one(Token, index)
        return tree.Word(token.text, token.span)

    def last_word(self, count: int) -> tree.Word | None:
        """The word at the end of a statement that has `count` words when it is there."""
        return self.word(count - 1) if len(self.all(Token)) == count else None

    def options(self, rule: str, kind: type[T]) -> tuple[T, ...]:
        values = (option.value for option in self.all(Option) if option.rule == rule)
        return tuple(value for value in values if isinstance(value, kind))


def build(rule: str, match: Match) -> object:
    """The node for a rule of the grammar, or a Fault."""
    return _BUILDERS[rule](match)


# Leaves


def _name(m: Match) -> tree.Name:
    token = m.one(Token)
    return tree.Name(token.text, token.span)


def _number(m: Match) -> tree.Integer:
    token = m.one(Token)
    return tree.Integer(int(token.text), token.span)


def _option(rule: str) -> Callable[[Match], Option]:
    """Builds an option: its name or number or chosen word where it has one, else the words of the rule."""

    def build_option(m: Match) -> Option:
        if m.all(Token):
            return Option(rule, m.word())
        return Option(rule, m.parts[0] if m.parts else tree.Word(rule.replace("_", " "), m.span))

    return build_option


def _overlay(m: Match) -> Option:
    return Option("overlay", tree.OverlayDecl(m.one(tree.Name), m.span))


# Exchanges


def _ranks(m: Match) -> tree.RanksDecl:
    return tree.RanksDecl(m.one(tree.Name), m.one(tree.Integer), m.one(tree.Integer, 1), m.span)


def _dim(m: Match) -> tree.DimDecl:
    return tree.DimDecl(m.one(tree.Name), m.one(tree.Integer), m.one(tree.Integer, 1), m.span)


def _power(m: Match) -> tree.Power | Fault:
    base = m.parts[0]
    exponent = m.parts[1] if len(m.parts) == 2 else None
    assert isinstance(base, (tree.Name, tree.Integer))
    assert exponent is None or isinstance(exponent, tree.Integer)
    if exponent is not None:
        if exponent.value > MAX_EXPONENT:
            return Fault(f"the exponent is too large: at most {MAX_EXPONENT}", exponent.span)
        if isinstance(base, tree.Integer) and base.value**exponent.value > LARGEST:
            return Fault("the number is too large: numbers are below 2**63", m.span)
    return tree.Power(base, exponent, m.span)


def _product(m: Match) -> tree.Product | Fault:
    factors = m.all(tree.Power)
    if len(factors) > MAX_FACTORS:
        return Fault(f"the product has {len(factors)} factors: at most {MAX_FACTORS}", m.span)
    return tree.Product(factors, m.span)


def _where(m: Match) -> tree.WhereDecl:
    return tree.WhereDecl(m.one(tree.Product), m.one(tree.Product, 1), m.span)


def _layout(m: Match) -> tree.LayoutDecl:
    return tree.LayoutDecl(tuple(factor.axes for factor in m.all(Factor)), m.span)


def _factor(m: Match) -> Factor:
    return Factor(m.all(tree.Name))


def _tensor(m: Match) -> tree.TensorDecl:
    name, dtype = m.all(tree.Name)
    return tree.TensorDecl(m.word(), name, dtype, m.one(tree.LayoutDecl), m.last_word(2), m.span)


def _binding(m: Match) -> tree.Binding:
    return tree.Binding(m.one(tree.Name), m.one(tree.Integer), m.span)


def _case(m: Match) -> tree.CaseDecl:
    return tree.CaseDecl(m.one(tree.Name), m.all(tree.Binding), m.span)


def _exchange(m: Match) -> tree.ExchangeDecl:
    return tree.ExchangeDecl(
        name=m.one(tree.Name),
        ranks=m.all(tree.RanksDecl),
        dims=m.all(tree.DimDecl),
        wheres=m.all(tree.WhereDecl),
        tensors=m.all(tree.TensorDecl),
        cases=m.all(tree.CaseDecl),
        damaged=m.damaged,
        head=m.head,
        span=m.span,
    )


# Schedules


def _target(m: Match) -> tree.TargetDecl:
    return tree.TargetDecl(m.one(tree.Name), m.span)


def _emit(m: Match) -> tree.EmitDecl:
    return tree.EmitDecl(m.one(tree.Name), m.span)


def _cores(m: Match) -> tree.CoresDecl:
    return tree.CoresDecl(m.one(tree.Integer), m.span)


def _buffer(m: Match) -> tree.BufferDecl:
    return tree.BufferDecl(
        name=m.one(tree.Name),
        layout=m.one(tree.LayoutDecl),
        homes=m.options("home", tree.Word),
        per_block=m.options("per_block", tree.Word),
        slots=m.options("slots", tree.Integer),
        flagged=m.options("flagged", tree.Word),
        overlays=m.options("overlay", tree.OverlayDecl),
        aligns=m.options("align", tree.Integer),
        span=m.span,
    )


def _place(m: Match) -> tree.PlaceDecl:
    return tree.PlaceDecl(m.one(tree.Name), m.word(), m.span)


def _block(m: Match) -> tree.BlockDecl:
    return tree.BlockDecl(m.one(tree.Name), m.one(tree.Integer), m.span)


def _role(m: Match) -> tree.RoleDecl:
    return tree.RoleDecl(
        name=m.one(tree.Name),
        classes=m.options("role_class", tree.Word),
        one_per_peer=m.options("one_per_peer", tree.Word),
        rest_of=m.options("rest_of", tree.Name),
        span=m.span,
    )


def _rounds(m: Match) -> tree.RoundsDecl:
    return tree.RoundsDecl(m.word(), m.span)


def _schedule(m: Match) -> tree.ScheduleDecl:
    return tree.ScheduleDecl(
        name=m.one(tree.Name),
        exchange=m.one(tree.Name, 1),
        targets=m.all(tree.TargetDecl),
        emits=m.all(tree.EmitDecl),
        cores=m.all(tree.CoresDecl),
        buffers=m.all(tree.BufferDecl),
        places=m.all(tree.PlaceDecl),
        blocks=m.all(tree.BlockDecl),
        roles=m.all(tree.RoleDecl),
        phases=m.all(tree.PhaseDecl),
        rounds=m.all(tree.RoundsDecl),
        damaged=m.damaged,
        head=m.head,
        span=m.span,
    )


# Phases


def _move(m: Match) -> tree.MoveDecl:
    return tree.MoveDecl(m.one(tree.Name), m.one(tree.Name, 1), m.last_word(1), m.span)


def _link(m: Match) -> tree.LinkDecl:
    return tree.LinkDecl(
        name=m.one(tree.Name),
        qps=m.options("qps", tree.Integer),
        splits=m.options("split", tree.Word),
        batches=m.options("batch", tree.Integer),
        completes=m.options("complete", tree.Word),
        relays=m.options("relay", tree.Word),
        span=m.span,
    )


def _tile_extent(m: Match) -> tree.TileExtent:
    return tree.TileExtent(m.one(tree.Name), m.one(tree.Integer), m.span)


def _tile(m: Match) -> tree.TileDecl:
    return tree.TileDecl(m.all(tree.TileExtent), m.span)


def _ready(m: Match) -> tree.ReadyDecl:
    return tree.ReadyDecl(m.word(), m.last_word(2), m.span)


def _free(m: Match) -> tree.FreeDecl:
    return tree.FreeDecl(m.word(), m.last_word(2), m.span)


def _order(m: Match) -> tree.OrderDecl:
    return tree.OrderDecl(m.word(), m.span)


def _phase(m: Match) -> tree.PhaseDecl:
    return tree.PhaseDecl(
        name=m.one(tree.Name),
        role=m.one(tree.Name, 1),
        moves=m.all(tree.MoveDecl),
        links=m.all(tree.LinkDecl),
        tiles=m.all(tree.TileDecl),
        readies=m.all(tree.ReadyDecl),
        frees=m.all(tree.FreeDecl),
        orders=m.all(tree.OrderDecl),
        damaged=m.damaged,
        head=m.head,
        span=m.span,
    )


_NAMES = ("name", "exchange_name", "extent", "axis", "tensor", "buffer_name", "role_name")
_PROFILES = ("dtype", "machine", "backend", "link_name")
_OPTIONS = ("home", "per_block", "slots", "flagged", "align")
_ROLE_PARTS = ("role_class", "one_per_peer", "rest_of")
_LINK_OPTIONS = ("qps", "split", "batch", "complete", "relay")

_BUILDERS: dict[str, Callable[[Match], object]] = {
    **dict.fromkeys((*_NAMES, *_PROFILES), _name),
    **{rule: _option(rule) for rule in (*_OPTIONS, *_ROLE_PARTS, *_LINK_OPTIONS)},
    "number": _number,
    "overlay": _overlay,
    "ranks": _ranks,
    "dim": _dim,
    "power": _power,
    "product": _product,
    "where": _where,
    "layout": _layout,
    "factor": _factor,
    "tensor_in": _tensor,
    "tensor_out": _tensor,
    "binding": _binding,
    "case": _case,
    "exchange": _exchange,
    "target": _target,
    "emit": _emit,
    "cores": _cores,
    "buffer": _buffer,
    "place": _place,
    "block": _block,
    "role": _role,
    "rounds": _rounds,
    "schedule": _schedule,
    "move": _move,
    "link": _link,
    "tile_extent": _tile_extent,
    "tile": _tile,
    "ready": _ready,
    "free": _free,
    "order": _order,
    "phase": _phase,
}
