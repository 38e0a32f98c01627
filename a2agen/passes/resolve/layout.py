"""Layouts: every axis is an extent of the exchange, `to` or `from`, and stands once."""

from __future__ import annotations

from collections.abc import Collection

from a2agen.grammar.tree import LayoutDecl, Name
from a2agen.ir.model import FROM, TO, Layout
from a2agen.passes.resolve.faults import Faults
from a2agen.passes.resolve.scope import ExchangeScope

PEERS = (TO, FROM)


def axis(name: Name, scope: ExchangeScope, faults: Faults, peers: Collection[str] = ()) -> str | None:
    """The dim that a name names; None, after a finding unless the dim may be one that could not be read. `peers` may
    stand there too."""
    if name.text in scope.dims:
        return name.text
    if name.text == scope.ranks:
        help_ = "write `to` for the rank a row goes to, `from` for the rank it comes from"
        faults.misplaced(name.span, f"{name.text} is the number of ranks, not an axis", help_)
    elif not scope.damaged:
        faults.unknown(name, "axis", "axes", [*scope.dims, *peers])
    return None


def layout(decl: LayoutDecl, peers: Collection[str], what: str, scope: ExchangeScope, faults: Faults) -> Layout | None:
    """The layout, which may have the axes `peers` of `to` and `from`; None where an axis of it is wrong."""
    seen: set[str] = set()
    sound = True
    for name in (name for factor in decl.factors for name in factor):
        if name.text in seen:
            faults.duplicate(name.span, f"the axis {name.text} stands in this layout already", "an axis stands once")
            sound = False
        elif name.text in PEERS:
            sound &= _peer(name, peers, what, seen, faults)
        else:
            sound &= axis(name, scope, faults, peers) is not None
        seen.add(name.text)
    return Layout(tuple(tuple(name.text for name in factor) for factor in decl.factors)) if sound else None


def _peer(name: Name, peers: Collection[str], what: str, seen: set[str], faults: Faults) -> bool:
    other = FROM if name.text == TO else TO
    if name.text not in peers:
        if not peers:
            help_ = "leave it out: an overlay holds the own slab alone"
        elif other in seen:
            help_ = "leave it out"
        else:
            help_ = f"write `{other}`: rows of the {'input go' if other == TO else 'output come'} {other} a rank"
        faults.misplaced(name.span, f"`{name.text}` has no place in {what}", help_)
        return False
    if other in seen:
        help_ = "a buffer is the sender's, with `to`, or the receiver's, with `from`"
        faults.misplaced(name.span, f"`{name.text}` has no place in {what} that has `{other}`", help_)
        return False
    return True
