"""The operations of a plan as a template prints them in Ascend C: each with its name and the texts of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from a2agen.emit import offsets
from a2agen.emit.ascendc import tiles
from a2agen.emit.ascendc.dialect import CPP
from a2agen.ir.expr import Const, Expr, Mul, Sub, Sym, add
from a2agen.ir.plan import (
    Access,
    After,
    Barrier,
    Copy,
    EpochAfter,
    EpochLoad,
    EpochStore,
    Fence,
    Let,
    Loop,
    Notify,
    Op,
    Plan,
    Put,
    Quiet,
    TileAxis,
    Wait,
    Word,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One operation to print: `kind` chooses the macro, the texts fill it."""

    kind: str
    texts: dict[str, str] = field(default_factory=dict)
    body: tuple[Line, ...] = ()


def lines(plan: Plan, ops: Iterable[Op]) -> tuple[Line, ...]:
    """The operations of one level of braces."""
    ops = tuple(ops)
    words = _named_words(ops)
    out: list[Line] = []
    bound: set[Word] = set()
    put: Put | None = None
    for op in ops:
        if isinstance(op, Wait | Notify) and op.word in words and op.word not in bound:
            bound.add(op.word)
            out.append(Line("pointer", {"type": "uint64_t", "name": words[op.word], "value": _word_at(plan, op.word)}))
        put = op if isinstance(op, Put) else put
        out += _print(plan, op, words, put)
    return tuple(out)


def _named_words(ops: Sequence[Op]) -> dict[Word, str]:
    """Names for the words that are used more than once on this level."""
    used = [op.word for op in ops if isinstance(op, Wait | Notify)]
    several = [w for w in dict.fromkeys(used) if used.count(w) > 1]
    names = ["word"] if len(several) == 1 else [f"{w.words}_word" for w in several]
    return dict(zip(several, names, strict=True))


def _print(plan: Plan, op: Op, words: dict[Word, str], put: Put | None) -> list[Line]:
    match op:
        case Let(name, value, about):
            return [Line("let", {"name": name, "value": CPP.text(value), "about": about})]
        case Loop(name, first, end, step, body, about):
            return [_loop(name, first, end, step, lines(plan, body), about)]
        case Copy():
            return _copy(plan, op)
        case Put(source, target, elements, peer):
            texts = {
                "target": _address(plan, target),
                "source": _address(plan, source),
                "elements": CPP.text(elements),
                "peer": CPP.text(peer),
            }
            return [Line("put", texts)]
        case Wait():
            return [_wait(plan, op, words)]
        case Notify(word, rank, value):
            texts = {"word": words.get(word) or _word_at(plan, word), "rank": CPP.text(rank), "value": CPP.text(value)}
            return [Line("notify", texts)]
        case Fence():
            return [Line("fence")]
        case Quiet(peer):
            assert peer is not None or put is not None
            return [Line("quiet", {"peer": CPP.text(peer or put.peer)})]  # type: ignore[union-attr]
        case Barrier():
            return [Line("barrier")]
        # The host counts launches, and waits hold a core back by themselves.
        case EpochLoad() | EpochStore() | EpochAfter() | After():
            return []
    raise TypeError(f"no way to print {op!r}")


def _loop(name: str, first: Expr, end: Expr, step: Expr, body: tuple[Line, ...], about: str = "") -> Line:
    texts = {"name": name, "first": CPP.text(first), "end": CPP.text(end), "about": about}
    return Line("loop", {**texts, "step": "" if step == Const(1) else CPP.text(step)}, body)


def _wait(plan: Plan, op: Wait, words: dict[Word, str]) -> Line:
    word = words.get(op.word) or _word_at(plan, op.word)
    texts = {"word": word if op.rank is None else f"At({word}, {CPP.text(op.rank)})", "value": CPP.text(op.value)}
    if op.word.count is None:
        return Line("wait", texts)
    return Line("wait_all", {**texts, "count": CPP.text(op.word.count)})


def _word_at(plan: Plan, word: Word) -> str:
    return _plus(word.words, CPP.text(offsets.word_offset(plan, word, CPP)))


def _plus(pointer: str, offset: str) -> str:
    return pointer if offset == "0" else f"{pointer} + {offset}"


def _address(plan: Plan, access: Access, behind: Sequence[Expr] = ()) -> str:
    """The address of an access's first element, and of one that lies further on."""
    pointer = access.memory if access.rank is None else f"At({access.memory}, {CPP.text(access.rank)})"
    return _plus(pointer, CPP.text(add(offsets.base(plan, access, CPP), *behind)))


def _copy(plan: Plan, op: Copy) -> list[Line]:
    """A tile's two places, and the move of its rows between them, in a loop over what is no row."""
    cut = tiles.piece(plan, op)
    same = op.source.memory == op.target.memory
    names = {"source": f"{op.source.memory}_{'from' if same else 'tile'}", "target": f"{op.target.memory}_tile"}
    moved: list[Line] = []
    texts = {**names, "length": CPP.text(tiles.length(plan, cut.run)) if cut.run else "1"}
    for side, access in (("source", op.source), ("target", op.target)):
        behind = [Sym(_counter(axis)) * _factor(tiles.step(plan, access, axis)) for axis in cut.loops]
        value = _address(plan, access, behind)
        moved.append(Line("pointer", {"type": "Element", "name": names[side], "value": value}))
    if cut.rows is not None:
        for side, access in (("source", op.source), ("target", op.target)):
            texts[f"{side}_step"] = CPP.text(tiles.step(plan, access, cut.rows))
        texts["rows"] = CPP.text(tiles.length(plan, cut.rows))
    moved.append(Line("move" if cut.rows is not None else "move_run", texts))
    for axis in reversed(cut.loops):
        count = tiles.length(plan, axis)
        moved = [_loop(_counter(axis), Const(0), count, Const(1), tuple(moved))]
    behind_end = [axis for axis in op.tile if tiles.can_be_empty(plan, axis)]
    if behind_end:
        inside = " && ".join(f"{_operand(axis.start)} < {CPP.text(axis.extent)}" for axis in behind_end)
        return [Line("when", {"condition": inside}, tuple(moved))]
    return moved


def _counter(axis: TileAxis) -> str:
    assert axis.offsets is not None
    return axis.offsets


def _operand(expr: Expr) -> str:
    return f"({CPP.text(expr)})" if isinstance(expr, Sub) else CPP.text(expr)


def _factor(step: Expr) -> Expr:
    """A stride as one factor of a product."""
    return step if isinstance(step, Const | Sym | Mul) else Sym(f"({CPP.text(step)})")
