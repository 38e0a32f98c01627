"""The parser proper: tokens to nodes, as far as the text is right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from a2agen.findings import Finding
from a2agen.grammar.automaton import Automaton, Stack, brace, is_mark
from a2agen.grammar.build import Fault, Match, build
from a2agen.grammar.scan import scan
from a2agen.grammar.tables import END, NAME, Rule, load
from a2agen.source import Source, Span

SYNTAX = "A101"
BLOCKS = ("exchange", "schedule", "phase")


class Progress(Enum):
    MOVED = "a token was taken"
    STUCK = "the next token does not fit"
    DONE = "the file is complete"


@dataclass(frozen=True, slots=True)
class _Chain:
    """What a helper rule of the grammar has matched, on its way to the rule that it helps."""

    values: tuple[object, ...]

    def flat(self) -> tuple[object, ...]:
        found: list[object] = []
        pending: list[object] = [self]
        while pending:
            value = pending.pop()
            if isinstance(value, _Chain):
                pending.extend(reversed(value.values))
            else:
                found.append(value)
        return tuple(found)


class Parser:
    """The state of parsing one source; `stack` and `index` are where it is."""

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self.tokens, self.comments = scan(source.text)
        self.automaton = Automaton(load(), self._reduce)
        self.stack = Stack(0, None, source.start, None)
        self.index = 0
        self.start = 0  # the first token of the current statement
        self.doubt: tuple[Stack, int] | None = None  # where a name of the current statement might be the next statement
        self.findings: list[Finding] = []
        self.blamed: set[Span] = set()
        self.damaged: set[Stack | None] = set()  # the opening braces of damaged blocks; None is the file
        self.invented: set[Stack] = set()  # the opening braces of blocks whose heads could not be read
        self.statements: dict[tuple[int, int], Span] = {}  # by line and column

    def items(self) -> tuple[object, ...]:
        """The exchanges and schedules of a complete file."""
        assert isinstance(self.stack.value, _Chain)
        return self.stack.value.flat()

    def step(self) -> Progress:
        automaton = self.automaton
        token = self.tokens[self.index]
        terminal = automaton.terminal(self.stack, token)
        settled = automaton.settle(self.stack, terminal) if terminal is not None else None
        if terminal is None or settled is None:
            return Progress.STUCK
        if terminal == END:
            self.stack = settled
            return Progress.DONE
        if automaton.begins(settled, terminal):
            self.start, self.doubt = self.index, None
        elif terminal == NAME and self.doubt is None and self._looks_like_statement(settled, self.index):
            self.doubt = settled, self.index
        self.stack = automaton.shift(settled, terminal, token)
        self.index += 1
        return Progress.MOVED

    def report(self, span: Span, message: str, way_out: str | None = None) -> None:
        """Adds a syntax error, unless the same place has been blamed before."""
        if span not in self.blamed:
            self.blamed.add(span)
            self.findings.append(Finding(SYNTAX, message, self.path, span, help=way_out))

    def damage(self, stack: Stack) -> None:
        """Marks the innermost block that is open on the stack: something is missing from it."""
        self.damaged.add(brace(self.automaton.innermost(stack)))

    def _looks_like_statement(self, stack: Stack, index: int) -> bool:
        """Whether a token that is taken for a name is written as the beginning of a statement would be."""
        token = self.tokens[index]
        return (
            token.first
            and token.span.column <= self.tokens[self.start].span.column
            and self.tokens[index + 1].text != "="
            and token.text in self.automaton.open_words(stack)
        )

    def _reduce(self, rule: Rule, symbols: list[Stack]) -> object:
        """The value of a rule: a node; a fault for a node that can't be made, None for a block whose head is wrong."""
        chain = _Chain(tuple(symbols[i].value for i in rule.kept))
        if rule.origin in self.automaton.tables.levels:
            self.statements[symbols[0].span.line, symbols[0].span.column] = symbols[0].span
        if rule.origin.startswith("_") or rule.origin == "start":
            return chain

        parts = chain.flat()
        span = symbols[0].span.to(symbols[-1].span)
        head, damaged = span, False
        if rule.origin in BLOCKS:
            at = next(i for i, symbol in enumerate(symbols) if is_mark(symbol, "{"))
            if symbols[at] in self.invented:
                return None
            head = symbols[0].span.to(symbols[at - 1].span)
            damaged = symbols[at] in self.damaged
        else:
            fault = next((part for part in parts if isinstance(part, Fault)), None)
            if fault is not None:
                return fault
        value = build(rule.origin, Match(parts, span, head, damaged))
        if isinstance(value, Fault):
            self.report(value.span, value.message)
            self.damage(symbols[0])
        return value
