"""The LALR automaton: a stack that is never changed in place, so that going back to an earlier one is free."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from a2agen.grammar.scan import Kind, Token
from a2agen.grammar.tables import END, NAME, NUMBER, Rule, Tables
from a2agen.source import Span

# Axes by birth, so never a name that a spec gives to something else.
RESERVED = ("to", "from")


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """A symbol on the stack, the state after it, and what lies below."""

    state: int
    value: object
    span: Span
    below: Stack | None

    def __iter__(self) -> Iterator[Stack]:
        """This symbol and those below it, from the top."""
        symbol: Stack | None = self
        while symbol is not None:
            yield symbol
            symbol = symbol.below


Reduce = Callable[[Rule, list[Stack]], object]


class Automaton:
    """Moves over the tables. `reduce` makes the value of a rule from the symbols that it matched."""

    def __init__(self, tables: Tables, reduce: Reduce) -> None:
        self.tables = tables
        self.reduce = reduce

    def terminal(self, stack: Stack, token: Token) -> str | None:
        """The terminal that a token is at this place; None when nothing fits.

        A word is a name only where it is no word of the language.
        """
        actions = self.tables.actions[stack.state]
        if token.kind is Kind.END:
            return END
        if token.kind is Kind.NUMBER:
            return NUMBER if NUMBER in actions else None
        name = token.kind is Kind.WORD and NAME in actions and token.text not in RESERVED
        keyword = token.kind is not Kind.BAD and token.text in actions
        # A state also has the words of other places that share it, so where both seem possible a trial decides.
        if keyword and (not name or self.settle(stack, token.text, dry=True) is not None):
            return token.text
        return NAME if name else None

    def settle(self, stack: Stack, terminal: str, dry: bool = False) -> Stack | None:
        """The stack on which the terminal can be shifted, after the reductions due; None when it does not fit.

        A dry run makes no values.
        """
        tables = self.tables
        while True:
            action = tables.actions[stack.state].get(terminal)
            if action is None:
                return None
            if action >= 0:
                return stack
            rule = tables.rules[-1 - action]
            symbols: list[Stack] = []
            below = stack
            for _ in range(rule.length):
                symbols.append(below)
                assert below.below is not None
                below = below.below
            symbols.reverse()
            value = None if dry else self.reduce(rule, symbols)
            span = symbols[0].span.to(symbols[-1].span) if symbols else stack.span
            stack = Stack(tables.gotos[below.state][rule.origin], value, span, below)

    def shift(self, stack: Stack, terminal: str, token: Token) -> Stack:
        """The stack with the token on it, for a stack that is settled for its terminal."""
        return Stack(self.tables.actions[stack.state][terminal], token, token.span, stack)

    def begins(self, stack: Stack, terminal: str) -> bool:
        """Whether a terminal, shifted on this stack, begins a statement."""
        level = self.level(stack)
        return level is not None and terminal in self.tables.levels[level]

    def level(self, stack: Stack) -> str | None:
        """The level whose next statement, or whose end, may come here."""
        return next((level for level in self.tables.levels if level in self.tables.gotos[stack.state]), None)

    def innermost(self, stack: Stack) -> Stack:
        """The stack as it was before the statement that is under way."""
        return next(part for part in stack if self.level(part) is not None)

    def open_words(self, stack: Stack) -> set[str]:
        """The words that begin a statement of a block that is open, or of the file."""
        levels = (self.level(part) for part in stack)
        return {word for level in levels if level is not None for word in self.tables.levels[level]}

    def expected(self, stack: Stack) -> dict[str, Stack]:
        """The terminals that may come next, each with the stack on which it would be shifted."""
        found = {}
        for terminal in self.tables.actions[stack.state]:
            settled = self.settle(stack, terminal, dry=True)
            if settled is not None:
                found[terminal] = settled
        return found


def is_mark(symbol: Stack, text: str) -> bool:
    return isinstance(symbol.value, Token) and symbol.value.text == text


def brace(level: Stack) -> Stack | None:
    """The opening brace of the block whose level this is; None for the file."""
    return next((symbol for symbol in (level, level.below) if symbol is not None and is_mark(symbol, "{")), None)
