"""What `help` offers as a replacement can be put into the spec as it stands, and the finding is gone."""

from __future__ import annotations

import re

import pytest

from a2agen.findings import Finding
from a2agen.passes.check import check
from a2agen.source import Source
from tests.rules.golden import findings_of, fixture, stems

OFFER = re.compile(r"(?P<verb>write|add|leave out|did you mean|choose another name, such as) `(?P<text>[^`]*)`")
# What stands for something that only the author knows.
BLANK = re.compile(r"…|NAME|ROLE|, with ")


def mended(source: Source, finding: Finding) -> str | None:
    """The spec with the first replacement that the finding's help offers; None where it offers none by itself.

    `write` replaces the spanned text, or the part of it that begins as the replacement does, or else the statement
    nearest to it that does; `leave out` takes its text out of the span, the whole of it where it is named by its
    beginning; `add` puts a statement into the block whose head is spanned, into the phase that is named, or behind the
    statement that is spanned.
    """
    offer = OFFER.match(finding.help or "")
    if offer is None or BLANK.search(finding.help or ""):
        return None
    lines = source.text.split("\n")
    span, verb, text = finding.span, offer["verb"], offer["text"]
    row, first, end = span.line - 1, span.column - 1, span.end_column - 1
    if span.end_line != span.line:
        return None
    said = lines[row][first:end]
    if verb in ("did you mean", "choose another name, such as"):
        new = text
    elif verb == "leave out":
        new = _without(said, text)
    elif verb == "add":
        return _added(lines, finding, text)
    else:
        new = _written(said, text)
        if new is None:
            return _instead(lines, row, text)
    if new is None:
        return None
    lines[row] = lines[row][:first] + new + lines[row][end:]
    return "\n".join(lines)


def _written(said: str, text: str) -> str | None:
    word = re.match(r"#|\w+", text)
    if said.split(maxsplit=1)[0] == text.split(maxsplit=1)[0] or re.fullmatch(r"[\d.]+|(//|/\*).*", said):
        return text
    if word is None:
        return None
    part = re.search(rf"\b{word[0]}( \w+)*( \d+)?", said)
    return None if part is None else said[: part.start()] + text + said[part.end() :]


def _instead(lines: list[str], row: int, text: str) -> str | None:
    """With a statement of the same keyword, and name where it has one, in place of the nearest."""
    head = re.match(r"(role|ranks|buffer) +\w+|(target|cores|rounds|ready|free)\b", text)
    if head is None:
        return None
    pattern = re.compile(rf"\b{r' +'.join(head[0].split())}\b[^#}}]*?(?=\s*(#|}}|$))")
    rows = [n for n, line in enumerate(lines) if pattern.search(line)]
    if not rows:
        return None
    nearest = min(rows, key=lambda n: abs(n - row))
    new = pattern.sub(text, lines[nearest], count=1)
    return "\n".join([*lines[:nearest], new, *lines[nearest + 1 :]])


def _without(said: str, text: str) -> str | None:
    """Without a clause, wherever blanks stand, and the comma that parts it from others."""
    pattern = r"\s+".join(map(re.escape, text.split()))
    if re.match(rf"{pattern}\s*:", said):
        return ""
    new = re.sub(rf",\s*{pattern}\b|\b{pattern}\s*,\s*|\b{pattern}\b", "", said, count=1)
    return None if new == said else new.rstrip()


def _added(lines: list[str], finding: Finding, text: str) -> str | None:
    phase = re.search(r"to phase (\w+)", finding.help or "")
    head = rf"phase +{phase[1]} " if phase else None
    row = next((n for n, line in enumerate(lines) if head and re.search(head, line)), finding.span.line - 1)
    if not head and not lines[row].rstrip().endswith("{") and text.split(maxsplit=1)[0] not in ("tile",):
        return None
    return "\n".join([*lines[: row + 1], f"    {text}", *lines[row + 1 :]])


def offers() -> dict[str, tuple[Source, Finding, str]]:
    found = {}
    for stem in stems():
        source, findings = findings_of(fixture(stem))
        for n, finding in enumerate(findings):
            text = mended(source, finding)
            if text is not None:
                found[f"{stem} {n}"] = (source, finding, text)
    return found


OFFERS = offers()


@pytest.mark.parametrize("name", OFFERS)
def test_a_replacement_does_away_with_its_finding(name):
    source, finding, text = OFFERS[name]
    assert text != source.text

    def told(spec: str) -> int:
        return sum(
            (f.code, f.message) == (finding.code, finding.message) for f in check(Source(source.path, spec)).findings
        )

    assert told(source.text) > told(text), finding.help


def test_most_rules_offer_a_replacement():
    """A rule that stops offering one is noticed."""
    codes = {name[:4].upper() for name in OFFERS}
    assert len(codes) >= 30, sorted(codes)
