"""Waiting for what a task or a put reads: one word, or all the words that its piece spans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from a2agen.ir.expr import Const, Expr, Min, Sym
from a2agen.ir.plan import Loop, Op
from a2agen.passes import words
from a2agen.passes.lower.scope import Scope
from a2agen.passes.lower.sync import Channel, together

ZERO, ONE = Const(0), Const(1)


@dataclass(frozen=True, slots=True)
class Piece:
    """What is read at a time: `size` elements of an axis, None for all of it, and the number of the piece along it.

    `all_blocks`: it is read before the block loop.
    """

    size: Callable[[str], int | None]
    number: Callable[[str], Expr]
    all_blocks: bool


def arrival(feed: Channel, piece: Piece, peer: tuple[str, Expr] | None) -> tuple[tuple[Op, ...], tuple[str, ...]]:
    """The waits for a piece, and the tokens that its reading must carry.

    One word gives a token, several that a loop waits for give one together.
    """
    scope, token = feed.scope, feed.scope.name("arrived")
    index: dict[str, Expr] = dict([peer]) if peer else {}
    ranges: list[tuple[str, Expr, Expr]] = []
    for axis, _ in words.phase_words(feed.schedule, feed.phase, feed.move).axes:
        if axis == words.BLOCK and piece.all_blocks:
            ranges.append((scope.name("word of", scope.name("blk")), ZERO, scope.blocks()))
        elif axis in feed.move.target.layout.axes and axis not in index:
            span = _span(scope, feed, piece, axis)
            if isinstance(span, Expr):
                index[axis] = span
                continue
            ranges.append((scope.name("word of", axis), *span))
        else:
            continue
        index[axis] = Sym(ranges[-1][0])
    body = feed.await_(index, token)
    for name, first, end in reversed(ranges):
        body = (Loop(name, first, end, ONE, body),)
    return together(token, body), (token,)


def _span(scope: Scope, feed: Channel, piece: Piece, axis: str) -> Expr | tuple[Expr, Expr]:
    """Which of the writer's tiles a piece spans along an axis: one, or the first and the end of several."""
    count = scope.tiles(feed.phase, axis)
    written = feed.phase.tile.size(axis) if feed.phase.tile else 1
    read = piece.size(axis)
    if read is None:
        return ZERO, count
    if read <= written:
        return piece.number(axis) // (written // read)
    first = piece.number(axis) * (read // written)
    return first, Min(first + read // written, count)
