"""The operations of a plan as a template prints them: each with its name and the texts of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from a2agen.emit import offsets
from a2agen.emit.offsets import text
from a2agen.ir.expr import Const, Expr, Sym
from a2agen.ir.plan import (
    Access,
    After,
    Aim,
    Barrier,
    Copy,
    EpochAfter,
    EpochLoad,
    EpochStore,
    Fence,
    Let,
    Load,
    Loop,
    Notify,
    Op,
    Plan,
    Put,
    Quiet,
    Store,
    TileAxis,
    Wait,
    When,
    Word,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One operation to print: `kind` chooses the macro, the texts fill it."""

    kind: str
    texts: dict[str, str] = field(default_factory=dict)
    body: tuple[Line, ...] = ()


def lines(plan: Plan, ops: Iterable[Op]) -> tuple[Line, ...]:
    """The operations of one indentation level."""
    ops = tuple(ops)
    words = _named_words(ops)
    out: list[Line] = []
    bound: set[Word] = set()
    for op in ops:
        if isinstance(op, Wait | Notify) and op.word in words and op.word not in bound:
            bound.add(op.word)
            out.append(Line("let", {"name": words[op.word], "value": text(offsets.word_offset(plan, op.word))}))
        out += _print(plan, op, words)
    return tuple(out)


def _named_words(ops: Sequence[Op]) -> dict[Word, str]:
    """Names for the offsets of words that are worth one: used more than once on this level, and not a mere variable."""
    used = [op.word for op in ops if isinstance(op, Wait | Notify)]
    several = [w for w in dict.fromkeys(used) if used.count(w) > 1]
    names = ["word"] if len(several) == 1 else [f"{w.words}_word" for w in several]
    return dict(zip(several, names, strict=True))


def _print(plan: Plan, op: Op, words: dict[Word, str]) -> list[Line]:
    match op:
        case Let(name, value, about):
            return [Line("let", {"name": name, "value": text(value), "about": about})]
        case Loop(name, first, end, step, body, about, token):
            bounds = ", ".join(_range(first, end, step))
            return [Line("loop", {"name": name, "range": bounds, "about": about, "token": token}, lines(plan, body))]
        case When(name, value, body, about):
            condition = f"{name} == {text(value)}"
            return [Line("when", {"condition": condition, "about": about}, lines(plan, body))]
        case Copy():
            return _copy(plan, op)
        case Load(source, tile):
            return [*_mask(tile), *_half(plan, "load", source, tile)]
        case Aim(target):
            return [_at(plan, target, f"{target.memory}_tile")]
        case Store(target, tile, aimed):
            store = _half(plan, "store", target, tile)
            return store[1:] if aimed else store
        case Put(source, target, _, peer):
            texts = {
                "target": _address(plan, target),
                "source": _address(plan, source),
                "bytes": text(offsets.put_bytes(plan, op)),
                "peer": text(peer),
            }
            if op.signal is None:
                return [Line("put", texts)]
            word = _plus(op.signal.word.words, _word(plan, op.signal.word, words))
            return [Line("put_signal", texts | {"word": word, "value": text(op.signal.value)})]
        case Wait(word, value, token, rank, adds):
            pointer = word.words if rank is None else f"dl.symm_at({word.words}, {text(rank)})"
            return [
                Line(
                    "wait",
                    {
                        "token": token,
                        "how": "+=" if adds else "=",
                        "word": _plus(pointer, _word(plan, word, words)),
                        "count": "1" if word.count is None else text(word.count),
                        "value": text(value),
                    },
                )
            ]
        case Notify(word, rank, value, how, tokens, between_nodes):
            texts = {
                "word": _plus(_after(word.words, tokens), _word(plan, word, words)),
                "rank": text(rank),
                "value": text(value),
                "how": how,
                "scope": "inter_node" if between_nodes else "intra_node",
            }
            return [Line("notify", texts)]
        case Fence(after_notify):
            return [Line("settle" if after_notify else "fence")]
        case Quiet():
            return [Line("quiet")]
        case Barrier():
            return [Line("barrier")]
        case EpochLoad(name):
            return [Line("epoch_load", {"name": name, "at": _epoch_at(plan)})]
        case After(memory, token, aimed):
            names = [memory, f"{memory}_tile"] if aimed else [memory]
            return [Line("after", {"pointer": name, "token": token}) for name in names]
        case EpochAfter(name, token):
            return [Line("epoch_after", {"name": name, "token": token})]
        case EpochStore(name):
            return [Line("epoch_store", {"name": name, "at": _epoch_at(plan)})]
    raise TypeError(f"no way to print {op!r}")


def _epoch_at(plan: Plan) -> str:
    return f"epochs + pid * {plan.schedule.target.signal_stride_bytes // 8}"


def _range(first: Expr, end: Expr, step: Expr) -> list[str]:
    if step != Const(1):
        return [text(first), text(end), text(step)]
    return [text(end)] if first == Const(0) else [text(first), text(end)]


def _word(plan: Plan, word: Word, words: dict[Word, str]) -> str:
    return words.get(word) or text(offsets.word_offset(plan, word))


def _plus(pointer: str, offset: str) -> str:
    return pointer if offset == "0" else f"{pointer} + {offset}"


def _pointer(access: Access) -> str:
    pointer = access.memory if access.rank is None else f"dl.symm_at({access.memory}, {text(access.rank)})"
    return _after(pointer, access.tokens)


def _after(pointer: str, tokens: tuple[str, ...]) -> str:
    """The pointer made to depend on waits."""
    for token in tokens:
        pointer = f"dl.consume_token({pointer}, {token})"
    return pointer


def _address(plan: Plan, access: Access) -> str:
    return _plus(_pointer(access), text(offsets.base(plan, access)))


def _copy(plan: Plan, op: Copy) -> list[Line]:
    """A tile's mask, its two places, and the load and store between them."""
    same = op.source.memory == op.target.memory
    at, source = _place(plan, op.source, op.tile, "from" if same else "tile")
    to, target = _place(plan, op.target, op.tile)
    return [*_mask(op.tile), at, to, Line("copy", {"source": source, "target": target, **_masked(op.tile)})]


def _half(plan: Plan, kind: str, access: Access, tile: tuple[TileAxis, ...]) -> list[Line]:
    """The place of a tile, and its load or store; the mask is that of the load."""
    at, address = _place(plan, access, tile)
    return [at, Line(kind, {"at": address, **_masked(tile)})]


def _mask(tile: tuple[TileAxis, ...]) -> list[Line]:
    """Which elements of a tile lie on its axes; nothing where there is but one, which does."""
    parts = [_below_end(axis, spread) for axis, spread in _spreads(tile)]
    if not parts:
        return []
    return [Line("let", {"name": "mask", "value": " & ".join(parts) if len(parts) > 1 else parts[0][1:-1]})]


def _masked(tile: tuple[TileAxis, ...]) -> dict[str, str]:
    return {"mask": ", mask=mask" if tile else ""}


def _place(plan: Plan, access: Access, tile: tuple[TileAxis, ...], suffix: str = "tile") -> tuple[Line, str]:
    """The line that names where a tile starts, and the addresses of its elements."""
    name = f"{access.memory}_{suffix}"
    return _at(plan, access, name), " + ".join([name, *_tile_offsets(plan, access, tile)])


def _at(plan: Plan, access: Access, name: str) -> Line:
    return Line("let", {"name": name, "value": _address(plan, access)})


def _tile_offsets(plan: Plan, access: Access, tile: tuple[TileAxis, ...]) -> list[str]:
    memory = plan.memory(access.memory)
    terms = []
    for axis, spread in _spreads(tile):
        if axis.offsets is not None:
            step = offsets.stride(plan, memory, axis.axis)
            at = f"{axis.offsets}{spread}"
            terms.append(at if step == Const(1) else f"{at} * {text(_factor(step))}")
    return terms


def _below_end(axis: TileAxis, spread: str) -> str:
    """The condition that elements lie on their axis, in parentheses."""
    at = axis.start if axis.offsets is None else axis.start + Sym(axis.offsets)
    return f"({text(at)} < {text(axis.extent)}){spread}"


def _spreads(tile: tuple[TileAxis, ...]) -> list[tuple[TileAxis, str]]:
    """Each axis with the subscript that lays its range along one axis of the block; a single element needs none."""
    ranges = [axis for axis in tile if axis.offsets is not None]
    return [(a, _spread(ranges.index(a), len(ranges)) if a.offsets is not None else "") for a in tile]


def _factor(step: Expr) -> Expr:
    """A stride as one factor of a product."""
    return step if isinstance(step, Const | Sym) else Sym(f"({text(step)})")


def _spread(position: int, rank: int) -> str:
    """The subscript that lays a range along one axis of a block of so many axes."""
    if rank == 1:
        return ""
    return f"[{', '.join(':' if n == position else 'None' for n in range(rank))}]"
