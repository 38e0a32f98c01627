"""The operations of a plan as a template prints them in Ascend C: each with its name and the texts of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from a2agen.emit import offsets
from a2agen.emit.ascendc import tiles
from a2agen.emit.ascendc.dialect import CPP
from a2agen.ir.expr import Const, Expr, Min, Mul, Sym, add
from a2agen.ir.plan import (
    Access,
    After,
    Barrier,
    ClearFlags,
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
    WaitFlags,
    Word,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One operation to print: `kind` chooses the macro, the texts fill it."""

    kind: str
    texts: dict[str, str] = field(default_factory=dict)
    body: tuple[Line, ...] = ()
    otherwise: tuple[Line, ...] = ()


def lines(plan: Plan, ops: Iterable[Op]) -> tuple[Line, ...]:
    """The operations of one level of braces."""
    ops = tuple(ops)
    words = _named_words(ops)
    out: list[Line] = []
    bound: set[Word] = set()
    put: Put | None = None
    submits = any(isinstance(op, Put) and op.submission == "submit" for op in ops)
    for op in ops:
        if submits and _defers(op):
            out.append(Line("submission"))
            submits = False
        if isinstance(op, Wait | Notify) and op.word in words and op.word not in bound:
            bound.add(op.word)
            out.append(Line("pointer", {"type": "uint64_t", "name": words[op.word], "value": _word_at(plan, op.word)}))
        put = op if isinstance(op, Put) else put
        for line in _print(plan, op, words, put):
            joined = _joined(out[-1], line) if out else None
            out[-1:] = [joined] if joined else [*out[-1:], line]
    return tuple(out)


def _joined(first: Line, second: Line) -> Line | None:
    """Two questions of which the second is the opposite of the first, as one with an else; None for any others."""
    if first.kind != "when" or second.kind != "when" or first.otherwise:
        return None
    if first.texts["condition"].replace(" > 0", " == 0") != second.texts["condition"] or first.texts == second.texts:
        return None
    abouts = [line.texts["about"] for line in (first, second) if line.texts.get("about")]
    return replace(first, texts={**first.texts, "about": "; ".join(abouts)}, otherwise=second.body)


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
            return [_once(op, lines(plan, body)) or _loop(name, first, end, step, lines(plan, body), about)]
        case Copy():
            return _copy(plan, op)
        case Put():
            return [_put(plan, op)]
        case WaitFlags(source, tile, value):
            return _rows(plan, "wait_flags", source, tile, {"value": CPP.text(value)})
        case ClearFlags(target, tile):
            return _rows(plan, "clear_flags", target, tile, {})
        case Wait():
            return [_wait(plan, op, words)]
        case Notify(word, rank, value):
            texts = {"word": words.get(word) or _word_at(plan, word), "rank": CPP.text(rank), "value": CPP.text(value)}
            return [Line("notify", texts)]
        case Fence():
            return [Line("fence")]
        case Quiet(peer, queue):
            assert peer is not None or put is not None
            texts = {"peer": CPP.text(peer or put.peer)}  # type: ignore[union-attr]
            return [Line("quiet", texts | ({} if _only(queue) else {"queue": CPP.text(queue)}))]  # type: ignore[arg-type]
        case Barrier():
            return [Line("barrier")]
        # The host counts launches, and waits hold a core back by themselves.
        case EpochLoad() | EpochStore() | EpochAfter() | After():
            return []
    raise TypeError(f"no way to print {op!r}")


def _loop(name: str, first: Expr, end: Expr, step: Expr, body: tuple[Line, ...], about: str = "") -> Line:
    texts = {"name": name, "first": CPP.text(first), "end": CPP.text(end), "about": about}
    return Line("loop", {**texts, "step": "" if step == Const(1) else CPP.text(step)}, body)


def _once(op: Loop, body: tuple[Line, ...]) -> Line | None:
    """A loop that runs once where a number is or is not zero, as the question that it stands for."""
    one = Const(1)
    match op:
        case Loop(first=Const(0), end=Min(count, Const(1))):
            condition = f"{CPP.text(count)} > 0"
        case Loop(first=Min(count, Const(1)), end=end) if end == one:
            condition = f"{CPP.text(count)} == 0"
        case _:
            return None
    return Line("when", {"condition": condition, "about": op.about}, body)


def _defers(op: Op) -> bool:
    """Whether requests of a batch are made in an operation."""
    return (isinstance(op, Put) and op.submission != "now") or (isinstance(op, Loop) and any(map(_defers, op.body)))


def _only(queue: Expr | None) -> bool:
    """Whether there is but one queue to a peer, which needs no name and every version of the library has."""
    return queue is None or isinstance(queue, Const)


def _put(plan: Plan, op: Put) -> Line:
    """A put, in whichever of the library's functions says all of it; `refuses` has refused what none does."""
    texts = {
        "target": _address(plan, op.target),
        "source": _address(plan, op.source),
        "elements": CPP.text(op.elements),
        "peer": CPP.text(op.peer),
    }
    if not _only(op.queue):
        assert op.queue is not None
        texts["queue"] = CPP.text(op.queue)
    if op.via is not None:
        texts["via"] = CPP.text(op.via)
    if op.submission != "now":
        texts["submission"] = op.submission
    if op.signal is None:
        return Line("put", texts)
    word, value = op.signal.word, op.signal.value
    return Line("put_signal", {**texts, "word": _word_at(plan, word), "value": CPP.text(value)})


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
    places = [_place(plan, names[side], access, cut.loops) for side, access in _sides(op)]
    texts = {**names, "length": CPP.text(tiles.length(plan, cut.run)) if cut.run else "1"}
    if cut.rows is not None:
        texts |= {f"{side}_step": CPP.text(tiles.step(plan, access, cut.rows)) for side, access in _sides(op)}
        texts["rows"] = CPP.text(tiles.length(plan, cut.rows))
    packs, unpacks = tiles.flagged(plan, op.target), tiles.flagged(plan, op.source)
    kind = "pack" if packs else "unpack" if unpacks else "move" if cut.rows is not None else "move_run"
    return _within(plan, op.tile, cut.loops, (*places, Line(kind, texts)))


def _rows(plan: Plan, kind: str, access: Access, tile: tuple[TileAxis, ...], texts: dict[str, str]) -> list[Line]:
    """Something for each row of a tile in flag blocks."""
    inner = plan.memory(access.memory).axes[-1][0]
    run = next(axis for axis in tile if axis.axis == inner)
    loops = tuple(axis for axis in tile if axis is not run and axis.offsets is not None)
    name = f"{access.memory}_flags"
    line = Line(kind, {"row": name, "length": CPP.text(tiles.length(plan, run)), **texts})
    return _within(plan, tile, loops, (_place(plan, name, access, loops), line))


def _sides(op: Copy) -> tuple[tuple[str, Access], tuple[str, Access]]:
    return ("source", op.source), ("target", op.target)


def _place(plan: Plan, name: str, access: Access, loops: tuple[TileAxis, ...]) -> Line:
    """A pointer to where an access is, inside loops over some of the tile's axes."""
    behind = [Sym(_counter(axis)) * _factor(tiles.step(plan, access, axis)) for axis in loops]
    return Line("pointer", {"type": "Element", "name": name, "value": _address(plan, access, behind)})


def _within(plan: Plan, tile: tuple[TileAxis, ...], loops: tuple[TileAxis, ...], body: tuple[Line, ...]) -> list[Line]:
    """The body in loops over axes of a tile, where the tile does not lie behind the end of one."""
    for axis in reversed(loops):
        body = (_loop(_counter(axis), Const(0), tiles.length(plan, axis), Const(1), body),)
    behind_end = [axis for axis in tile if tiles.can_be_empty(plan, axis)]
    if behind_end:
        inside = " && ".join(f"{CPP.text(axis.start)} < {CPP.text(axis.extent)}" for axis in behind_end)
        return [Line("when", {"condition": inside}, body)]
    return list(body)


def _counter(axis: TileAxis) -> str:
    assert axis.offsets is not None
    return axis.offsets


def _factor(step: Expr) -> Expr:
    """A stride as one factor of a product."""
    return step if isinstance(step, Const | Sym | Mul) else Sym(f"({CPP.text(step)})")
