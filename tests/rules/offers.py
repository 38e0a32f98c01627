"""What the help of a finding offers in words of the language, and the spec with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from a2agen.findings import Finding
from a2agen.source import Source

_ONE = r"`[^`]*`(?: and `[^`]*`)*"
_CLAUSE = re.compile(
    r"\b(?P<verb>write|add|leave out|did you mean|choose another name, such as|lay \w+ out as) "
    rf"(?P<texts>{_ONE}(?:(?:, or | or |, ){_ONE})*)(?P<more>[^`]*?)"
    r"(?P<and> and (?=write|add|leave out|lay)|$|(?=;|, or |\b(?:write|add|leave out|lay) ))"
)
_ABOUT = re.compile(r" (?:for|behind the layout of|of|to phase|in phase) ([a-z]+|\w\b)(?= too|,|$)")
# What stands for something that only the author knows.
_BLANK = re.compile(r"…|\bNAME\b|\bROLE\b")
_NAMED = ("role", "buffer", "place", "in", "out", "case", "dim", "ranks")
_OF_EXCHANGE = ("ranks", "dim", "in", "out", "case", "where")
_OF_PHASE = ("move", "link", "tile", "ready", "free", "order")


@dataclass(frozen=True)
class Edit:
    """What to do with which words, and of which phase or buffer where that is named."""

    verb: str
    text: str
    about: str | None = None

    @property
    def keyword(self) -> str:
        return re.split(r"[\s(]", self.text)[0]

    @property
    def statement(self) -> str:
        """Finds a statement of the same keyword, and name where it has one."""
        head = self.text.split()[:2] if self.keyword in _NAMED else [self.keyword]
        return rf"\b{r' +'.join(map(re.escape, head))}\b[^#}}]*?(?=\s*(#|}}|$))"


@dataclass(frozen=True)
class Offer:
    """One replacement, of one edit or several. `whole` where nothing else is to be done with it."""

    edits: tuple[Edit, ...]
    whole: bool


def offers(help_of: str | None) -> Iterator[Offer]:
    """The replacements that a help offers, each by itself; none of those with a blank to fill in."""
    before: tuple[Edit, ...] = ()
    for clause in _CLAUSE.finditer(help_of or ""):
        more = clause["more"]
        about = _ABOUT.match(more)
        laid = re.match(r"lay (\w+) out", clause["verb"])
        name = laid[1] if laid else about[1] if about else None
        made = []
        for one in re.split(r", or | or |, (?=`)", clause["texts"]):
            texts = re.findall(r"`([^`]*)`", one)
            made.append(before + tuple(Edit("write" if laid else clause["verb"], text, name) for text in texts))
        if clause["and"]:
            (before,) = made
            continue
        before = ()
        whole = not re.search(r"\band\b|\bwith\b|\bto a\b", more)
        yield from (Offer(edits, whole) for edits in made if not any(_BLANK.search(e.text + more) for e in edits))


def applied(source: Source, finding: Finding, offer: Offer) -> str | None:
    """The spec with an offer; None where a reader would have to find out how."""
    if finding.span.end_line != finding.span.line:
        return None
    spec = _Spec(source.text.split("\n"), finding)
    for edit in offer.edits:
        if not spec.edit(edit):
            return None
    return "\n".join(spec.lines)


class _Spec:
    """The lines of a spec, and where its finding is."""

    def __init__(self, lines: list[str], finding: Finding) -> None:
        span = finding.span
        self.lines = lines
        self.row, self.first, self.end = span.line - 1, span.column - 1, span.end_column - 1
        self.said = lines[self.row][self.first : self.end]
        self._everywhere = finding.code == "A109"

    def edit(self, edit: Edit) -> bool:
        """Makes an edit; says whether it could.

        `write` replaces the spanned text, or the part of it that begins as the replacement does, or else the nearest
        statement of the same block that does, or stands beside it; `leave out` takes its text out of the span, or the
        nearest such statement out of the block; `add` puts a statement into the block whose head is spanned, into the
        phase that is named, or behind the statement that is spanned.
        """
        if edit.verb in ("did you mean", "choose another name, such as"):
            if self._everywhere:
                self.lines = [re.sub(rf"\b{self.said}\b", edit.text, line) for line in self.lines]
                return True
            return self._span(edit.text)
        if edit.verb == "leave out":
            return self._leave_out(edit)
        if edit.verb == "add":
            return self._add(edit)
        return self._of_storage(edit) if edit.about and edit.keyword not in _OF_PHASE else self._write(edit)

    def _span(self, text: str) -> bool:
        line = self.lines[self.row]
        return self._line(self.row, line[: self.first] + text + line[self.end :])

    def _write(self, edit: Edit) -> bool:
        text, said = edit.text, self.said
        if edit.about is not None:
            return self._statement(edit)
        words = 2 if edit.keyword in _NAMED else 1
        if said.split()[:words] == text.split()[:words] or " " not in said + text or re.match(r"//|/\*", said):
            return self._span(text)
        if text.endswith(f" {said}"):  # a number, with the word before it
            self.first = self.lines[self.row].rindex(text.split()[-2], 0, self.first)
            return self._span(text)
        if text.startswith("["):
            return "[" in said and self._span(re.sub(r"\[.*\]", text, said))
        part = re.search(rf"(?<!\w){re.escape(edit.keyword)}( \w+)*( \d+)?", said)
        if part is not None:
            return self._span(said[: part.start()] + text + said[part.end() :])
        return self._statement(edit)

    def _statement(self, edit: Edit) -> bool:
        """In place of the nearest statement of its keyword, or a new one beside what is spanned."""
        row = self._nearest(edit)
        if row is not None:
            return self._line(row, re.sub(edit.statement, edit.text, self.lines[row], count=1))
        if edit.keyword in _OF_PHASE:
            phase = self._block(edit)
            return bool(phase) and self._line(phase[-1], f"    {edit.text}\n{self.lines[phase[-1]]}")
        if edit.keyword == "place":
            return self._line(self._block(edit)[-1], f"  {edit.text}\n}}")
        return False

    def _leave_out(self, edit: Edit) -> bool:
        """Without a clause and its number, wherever blanks stand, and the comma that parts it from others."""
        pattern = r"\s+".join(map(re.escape, edit.text.split())) + r"\b(\s+\d+)?"
        said = self.said
        if edit.about is not None and edit.keyword not in _OF_PHASE:
            rows = self._storages(edit)
            if len(rows) != 1:
                return False
            return self._line(rows[0], re.sub(rf"\b{pattern}(\s+\w+\[self\])?", "", self.lines[rows[0]], count=1))
        if re.match(rf"{pattern}\s*:", said):
            return self._span("")
        new = re.sub(rf",\s*{pattern}|\b{pattern}\s*,\s*|\b{pattern}", "", said, count=1).replace("()", "")
        if new != said:
            return self._span(new.rstrip())
        found = self._nearest(edit)
        if found is None:
            return False
        line = self.lines[found]
        if re.match(rf"\s*{edit.keyword}\b", line):
            return self._line(found, re.sub(edit.statement, "", line, count=1))
        return self._line(found, re.sub(rf",\s*{pattern}|\b{pattern}\s*,\s*|\b{pattern}", "", line).replace("()", ""))

    def _add(self, edit: Edit) -> bool:
        if edit.keyword == "block":
            first = self._block(edit)[0]
            return self._line(first, f"{self.lines[first]}\n  {edit.text}")
        head = rf"phase +{edit.about} " if edit.about else None
        row = next((n for n, line in enumerate(self.lines) if head and re.search(head, line)), self.row)
        opens = self.lines[row].rstrip().endswith("{")
        if edit.keyword in _OF_PHASE and not re.match(r"\s+phase\b", self.lines[row]) and edit.keyword != "tile":
            return False
        return (opens or edit.keyword == "tile") and self._line(row, f"{self.lines[row]}\n    {edit.text}")

    def _of_storage(self, edit: Edit) -> bool:
        """A word or a layout in the statement of a buffer or tensor."""
        rows = self._storages(edit)
        if len(rows) != 1:
            return False
        line = self.lines[rows[0]]
        if edit.text.startswith("["):
            return self._line(rows[0], re.sub(r"\[[^\]]*\]", edit.text, line, count=1))
        old = r"\blocal\b" if edit.text == "symmetric" else rf"\b{edit.keyword} \d+"
        new = re.sub(old, edit.text, line)
        return self._line(rows[0], new if new != line else f"{line} {edit.text}")

    def _storages(self, edit: Edit) -> list[int]:
        rows = [*self._rows("exchange"), *self._rows("schedule")]
        return [n for n in rows if re.search(rf"\b(buffer|in|out) +{edit.about}\b", self.lines[n])]

    def _line(self, row: int, line: str) -> bool:
        before = len(self.lines)
        self.lines = "\n".join([*self.lines[:row], line, *self.lines[row + 1 :]]).split("\n")
        if row < self.row:
            self.row += len(self.lines) - before
        return True

    def _nearest(self, edit: Edit) -> int | None:
        rows = [n for n in self._block(edit) if re.search(edit.statement, self.lines[n])]
        return min(rows, key=lambda n: abs(n - self.row), default=None)

    def _block(self, edit: Edit) -> range:
        """The rows of the block that holds such statements: the schedule at hand, its exchange or a phase of it."""
        if edit.keyword not in _OF_PHASE:
            return self._rows("exchange" if edit.keyword in _OF_EXCHANGE else "schedule")
        schedule = self._rows("schedule")
        named = rf"\s+phase +{edit.about} " if edit.about else r"\s+phase "
        heads = [n for n in schedule if re.match(named, self.lines[n]) and (edit.about or n <= self.row)]
        if not heads:
            return range(0)
        ends = (n for n in range(heads[-1], schedule.stop) if self.lines[n].strip().endswith("}"))
        return range(heads[-1], next(ends) + 1)

    def _rows(self, kind: str) -> range:
        """The rows of the schedule that holds the finding, or of its exchange."""
        heads = [n for n in range(self.row + 1) if re.match(r"exchange|schedule", self.lines[n])]
        head = heads[-1] if heads else 0
        of = re.match(r"schedule \w+ for (\w+)", self.lines[head])
        if kind == "exchange" and of is not None:
            head = next(n for n, line in enumerate(self.lines) if line.startswith(f"exchange {of[1]} "))
        ends = (n for n in range(head, len(self.lines)) if self.lines[n].startswith("}"))
        return range(head, next(ends, head) + 1)
