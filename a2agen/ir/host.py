"""The operations of a host program: what a launcher does for each launch."""

from __future__ import annotations

from dataclasses import dataclass

from a2agen.ir.expr import Expr
from a2agen.ir.places import Access


class HostOp:
    """Base of all operations of a rank's host program, in the order of its stream."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Clear(HostOp):
    """Set words to zero on the stream."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Synchronize(HostOp):
    """The host waits until the stream has done all so far."""


@dataclass(frozen=True, slots=True)
class HostBarrier(HostOp):
    """The host waits until every rank's host has come here."""


@dataclass(frozen=True, slots=True)
class Launch(HostOp):
    """Start a kernel on the stream, with the plan's number of cores."""

    kernel: str


@dataclass(frozen=True, slots=True)
class Fork(HostOp):
    """Let `streams` side streams come after all so far on the stream."""

    streams: Expr


@dataclass(frozen=True, slots=True)
class HostCopy(HostOp):
    """Copy a slab to each of `count` peers by the copy engine, each on a side stream; complete when they are joined.

    `counter` runs from 0 below `count`, and `peer` is then `nth`; both names are the same where they are equal. There
    is no counter for the own rank's copy alone. A copy takes `extents` elements along each axis of the source, in its
    order, from the places that the accesses name. `stream` numbers the side stream.
    """

    counter: str | None
    count: Expr
    peer: str
    nth: Expr
    source: Access
    target: Access
    extents: tuple[tuple[str, Expr], ...]
    stream: Expr
    about: str = ""


@dataclass(frozen=True, slots=True)
class Join(HostOp):
    """Let the stream go on after all so far on `streams` side streams."""

    streams: Expr
