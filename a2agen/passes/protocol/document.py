"""The launch-protocol table as text for the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from a2agen.passes.protocol.table import (
    FREES,
    PLACES,
    READIES,
    ROUNDS,
    TABLE,
    Free,
    Ready,
    Row,
    Safety,
    Shapes,
    phrase,
)

BEGIN = "<!-- begin: python -m a2agen.passes.protocol docs/protocol.md -->"
END = "<!-- end -->"

_SAFETY: dict[Safety, str] = {
    "back to back": "yes",
    "host": "no, host",
    "no": "no",
}
_SHAPES: dict[Shapes, str] = {
    "any": "any",
    "fixed halves": "any with fixed halves",
    "one": "one",
}


def render() -> str:
    """Both tables in Markdown: what is emitted, and what is refused with the reason that lint shows."""
    good = [row for row in TABLE if row.error is None]
    bad = [row for row in TABLE if row.error is not None]
    head = ("ready", "free", "rounds", "place", "slots shared", "emitted", "safe back to back", "shapes", "remark")
    emitted = [
        (*_key(row), _emitted(row), _SAFETY[row.protocol.safe], _SHAPES[row.protocol.shapes], row.remark)
        for row in good
    ]
    refused = [(*_key(row), row.error or "") for row in bad]
    return "\n\n".join(
        ("### What is emitted", _table(head, emitted), "### What is refused", _table((*head[:5], "reason"), refused))
    )


def update(text: str) -> str:
    """The document with the part between its markers rendered anew. ValueError where a marker is missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"wanted the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{render()}\n\n{END}{after}"


def _emitted(row: Row) -> str:
    return row.protocol.name + (", wait for all at kernel end" if row.protocol.wait_all else "")


def _key(row: Row) -> tuple[str, str, str, str, str]:
    slots = "any" if len(row.slots_reused) == 2 else "yes" if row.slots_reused[0] else "no"
    return (
        _clauses(row.ready, READIES),
        _clauses(row.free, FREES),
        _any(row.rounds, ROUNDS),
        _any(row.place, PLACES),
        slots,
    )


def _any(picked: Sequence[str], known: Sequence[str]) -> str:
    return "any" if len(picked) == len(known) else ", ".join(picked)


def _clauses(picked: Sequence[Ready] | Sequence[Free], known: Sequence[Ready] | Sequence[Free]) -> str:
    """A kind of which all units are picked is named without them."""
    if len(picked) == len(known):
        return "any"
    words: list[str] = []
    for clause in picked:
        whole = all(k in picked for k in known if k[0] == clause[0])
        word = clause[0] if whole else phrase(clause)
        if word not in words:
            words.append(word)
    return ", ".join(words)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell or "-" for cell in line) + " |" for line in lines)
