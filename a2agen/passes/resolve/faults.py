"""The faults that binding names can find, as findings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol, TypeVar

from a2agen.findings import Finding
from a2agen.grammar.tree import Integer, Name
from a2agen.source import Span

UNKNOWN, DUPLICATE, REPEATED, MISSING, NUMBER, MISPLACED, RESERVED = (f"A{code}" for code in range(103, 110))

# Extents, tiles and the like are 32-bit in kernels; what is computed from them is not.
LARGEST = 2**31 - 1
_SHOWN = 8


class _Spanned(Protocol):
    @property
    def span(self) -> Span: ...


S = TypeVar("S", bound=_Spanned)


@dataclass(slots=True)
class Faults:
    """Collects findings.

    `unknowns` counts those after which something of the spec is not known. `exchange` is the one whose names are
    being bound. A name that nothing resembles is reported where it stands first, with the other lines: what is
    missing is most likely what should have given it.
    """

    path: str
    exchange: str = ""
    unknowns: int = 0
    _findings: list[Finding] = field(default_factory=list)
    _lines: dict[tuple[str, str], tuple[int, list[int]]] = field(default_factory=dict)

    def findings(self) -> tuple[Finding, ...]:
        """All of them, in no order."""
        found = list(self._findings)
        for index, lines in self._lines.values():
            others = sorted(set(lines) - {found[index].span.line})
            if others:
                where = f"; it is used on line{'s' * (len(others) > 1)} {', '.join(map(str, others[:_SHOWN]))} too"
                more = " and others" * (len(others) > _SHOWN)
                found[index] = replace(
                    found[index], message=found[index].message + where.replace(" too", more + " too")
                )
        return tuple(found)

    def _add(self, code: str, span: Span, message: str, way_out: str | None) -> None:
        self._findings.append(Finding(code, message, self.path, span, help=way_out))
        self.unknowns += code != REPEATED

    def unknown(
        self,
        name: Name,
        what: str,
        plural: str,
        known: Iterable[str],
        elsewhere: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`name` stands where one of the `known` names must; `what` is what they are, in singular and `plural`.
        `elsewhere`: what others call them, in small letters."""
        names = list(dict.fromkeys(known))
        close = elsewhere.get(name.text.lower()) or closest(name.text, names)
        if not close and (first := self._lines.get((self.exchange, name.text))):
            first[1].append(name.span.line)
            self.unknowns += 1
            return
        if not close:
            self._lines[self.exchange, name.text] = (len(self._findings), [])
        listed = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        there_are = f"the {plural} are {listed}" if len(names) > 1 else f"the only {what} is {listed}"
        parts = [f"did you mean `{close}`?"] if close else []
        listing = there_are if names else f"there are no {plural}"
        if not close or len(names) > 1:
            parts.append(listing[0].upper() + listing[1:] if parts else listing)
        self._add(UNKNOWN, name.span, f"there is no {what} {name.text}", " ".join(parts))

    def unavailable(self, name: Name, message: str, way_out: str) -> None:
        """`name` is a name of the language, but not one of the target."""
        self._add(UNKNOWN, name.span, message, way_out)

    def duplicate(self, span: Span, message: str, way_out: str | None = None) -> None:
        self._add(DUPLICATE, span, message, way_out)

    def missing(self, span: Span, message: str, way_out: str) -> None:
        self._add(MISSING, span, message, way_out)

    def number(self, span: Span, message: str, way_out: str | None = None) -> None:
        self._add(NUMBER, span, message, way_out)

    def misplaced(self, span: Span, message: str, way_out: str) -> None:
        self._add(MISPLACED, span, message, way_out)

    def reserved(self, name: Name, message: str, other: str) -> None:
        self._add(RESERVED, name.span, message, f"choose another name, such as `{other}`")

    def once(self, written: Sequence[S], what: str, where: str) -> S | None:
        """The first of what may be written once, with a finding on each other one; None where there is none."""
        for again in written[1:]:
            message = f"`{what}` stands in this {where} already, on line {written[0].span.line}"
            self._add(REPEATED, again.span, message, "keep one of them")
        return written[0] if written else None

    def at_least_one(self, number: Integer, what: str) -> int | None:
        """The number, where it lies in 1..2^31-1."""
        return self.within(number, what, LARGEST)

    def extent(self, number: Integer, what: str) -> int | None:
        """The number, where it lies in 1..2^31-1; the nearest that does is the way out."""
        return self.within(number, what, LARGEST, f"write `{max(1, min(LARGEST, number.value))}`")

    def within(self, number: Integer, what: str, largest: int, way_out: str | None = None) -> int | None:
        """The number, where it lies in 1..`largest`; None after a finding. One that is too small has the least as its
        way out, where there is no other."""
        if 1 <= number.value <= largest:
            return number.value
        message = f"{what} is {number.value}; it must lie in 1..{largest}"
        self.number(number.span, message, way_out or ("write `1`" if number.value < 1 else None))
        return None


def closest(name: str, known: Iterable[str]) -> str | None:
    """The name that was probably meant, None where none is close."""
    names = list(known)
    for other in names:
        if other.lower() == name.lower():
            return other
    cutoff = 0.6 if len(name) < 4 else 0.7  # `Dd` is close to `D`, but `sender` is not to `reader`
    return next(iter(difflib.get_close_matches(name, names, n=1, cutoff=cutoff)), None)
