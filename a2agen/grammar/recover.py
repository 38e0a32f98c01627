"""Getting over a syntax error: what is said about it, and where parsing goes on.

The parser goes back to the innermost block that is open and on to where the next statement seems to begin. Lines and
indentation mean nothing in a spec; only the guesses made here look at them.
"""

from __future__ import annotations

from a2agen.grammar import tree, words
from a2agen.grammar.automaton import Stack, brace, is_mark
from a2agen.grammar.parser import BLOCKS, Parser
from a2agen.grammar.scan import Kind, Token
from a2agen.grammar.tables import NAME
from a2agen.source import Span

MOST_FINDINGS = 100

# What stands between the keyword of a block and its statements.
HEADS = {
    "exchange": (NAME, "{"),
    "schedule": (NAME, "for", NAME, "{"),
    "phase": (NAME, "on", NAME, "{"),
}

# How many tokens back a word that was taken for a name may turn out to begin the next statement.
LOOK_BACK = 64


def recover(parser: Parser) -> None:
    """Says why the parser is stuck and moves it to where it can go on, always nearer to the end of the file."""
    if parser.doubt is not None:
        stack, index = parser.doubt
        parser.doubt = None
        if parser.index - index <= LOOK_BACK:
            parser.stack, parser.index = stack, index
    if len(parser.findings) >= MOST_FINDINGS:
        parser.report(parser.tokens[parser.index].span, "too many syntax errors: the rest of the file is not read")
        parser.index = len(parser.tokens) - 1
        parser.blamed.add(parser.tokens[parser.index].span)

    complete = _completed(parser)
    if complete is None:
        _inside_statement(parser)
    else:
        parser.stack = complete
        _between_statements(parser)


def _completed(parser: Parser) -> Stack | None:
    """The stack with the current statement ended, if it may end here and the token seems to begin something new."""
    automaton = parser.automaton
    token = parser.tokens[parser.index]
    if automaton.level(parser.stack) is not None:
        return parser.stack
    after_block = is_mark(parser.stack, "}")
    new = token.first or after_block or token.text in ("{", "}") or token.text in automaton.open_words(parser.stack)
    for closing in ("}", "exchange"):
        ended = automaton.settle(parser.stack, closing, dry=True) if new else None
        if ended is not None and automaton.level(ended) is not None:
            return automaton.settle(parser.stack, closing)
    return None


def _between_statements(parser: Parser) -> None:
    """The token is no statement of the block that is open."""
    automaton = parser.automaton
    token = parser.tokens[parser.index]
    opening = brace(parser.stack)
    if opening is not None and _closes(parser, token, opening):
        keyword, name = _head(opening)
        message = f"{keyword.text} `{name}` is not closed: expected `}}` before {words.quoted(token)}"
        parser.report(token.span, message, f"it is opened at line {keyword.span.line}")
        _close(parser, token)
        return

    expected = automaton.expected(parser.stack)
    homes = [level for level, starts in automaton.tables.levels.items() if token.text in starts]
    why = words.misplaced(token, homes[0] if homes else None) or words.reason(token, expected)
    parser.report(token.span, f"expected {words.expectation(automaton, expected)}, found {words.quoted(token)}", why)
    parser.damage(parser.stack)
    word = token.text if token.text in BLOCKS else words.suggestion(token, expected)
    if word is not None and word in BLOCKS and word in expected and _enter(parser, word, parser.index + 1):
        return
    # Statements of another block tend to come together, and so does the brace that closes it: one error, not one each.
    depth = 1 if token.text == "{" else 0
    parser.index = _next_statement(parser, parser.index + 1, depth, token.span.column, any_word=not homes)
    closing = parser.tokens[parser.index]
    if homes and opening is not None and closing.text == "}" and _inside(closing, opening):
        parser.index += 1


def _inside_statement(parser: Parser) -> None:
    """The token does not go on with the statement, and the statement cannot end before it."""
    automaton = parser.automaton
    token = parser.tokens[parser.index]
    start = parser.tokens[parser.start]
    expected = automaton.expected(parser.stack)
    why = words.reason(token, expected) or (words.unfinished(start) if token.first else None)
    parser.report(token.span, f"expected {words.continuation(automaton, expected)}, found {words.quoted(token)}", why)

    if set(expected) == {"{"}:
        ahead = _brace_ahead(parser, parser.index)
        if ahead is not None:
            parser.index = ahead
            return
        if start.text in BLOCKS and token.text in automaton.tables.levels[f"_{start.text}_statement"]:
            settled = automaton.settle(parser.stack, "{")
            assert settled is not None
            parser.stack = automaton.shift(settled, "{", _invented("{", token))
            return

    depth = 0
    for symbol in parser.stack:
        if automaton.level(symbol) is not None:
            parser.stack = symbol
            break
        depth += is_mark(symbol, "{")
    parser.damage(parser.stack)
    if start.text in BLOCKS and _enter(parser, start.text, parser.index):
        return
    parser.index = _next_statement(parser, parser.index, depth, start.span.column, True)


def _closes(parser: Parser, token: Token, opening: Stack) -> bool:
    """Whether a token says that a closing brace is missing: it belongs further out and is not indented as if inside."""
    if token.kind is Kind.END:
        return True
    assert opening.below is not None
    if token.text not in parser.automaton.open_words(opening.below):
        return False
    return not _inside(token, opening)


def _inside(token: Token, opening: Stack) -> bool:
    """Whether a token is indented as what stands inside the block is."""
    keyword, _ = _head(opening)
    return token.first and token.span.column > keyword.span.column


def _head(opening: Stack) -> tuple[Token, str]:
    """The word and the name of the block that a brace opens."""
    name = ""
    for symbol in opening:
        if isinstance(symbol.value, tree.Name):
            name = symbol.value.text
        if isinstance(symbol.value, Token) and symbol.value.text in BLOCKS:
            return symbol.value, name
    raise AssertionError("a block begins with a word")


def _close(parser: Parser, token: Token) -> None:
    """Closes blocks until the token fits."""
    automaton = parser.automaton
    while (level := automaton.level(parser.stack)) != "_file_statement":
        assert level is not None
        if token.text in automaton.tables.levels[level]:
            return
        if token.kind is Kind.END:
            parser.damage(parser.stack)
        closed = automaton.shift(parser.stack, "}", _invented("}", token))
        ended = automaton.settle(closed, "}") or automaton.settle(closed, "exchange")
        assert ended is not None
        parser.stack = ended


def _enter(parser: Parser, word: str, index: int) -> bool:
    """Goes on inside a block whose head is wrong from `index` on: its statements are read, though the block is lost.

    False when no brace shows where the block begins.
    """
    ahead = _brace_ahead(parser, index)
    if ahead is None:
        return False
    automaton = parser.automaton
    stack = parser.stack
    for terminal in (word, *HEADS[word]):
        settled = automaton.settle(stack, terminal)
        assert settled is not None
        stack = automaton.shift(
            settled, terminal, _invented("" if terminal == NAME else terminal, parser.tokens[ahead])
        )
    parser.invented.add(stack)
    parser.stack = stack
    parser.index = ahead + 1
    return True


def _invented(text: str, token: Token) -> Token:
    """A token that is not in the text, just before one that is."""
    line, column = token.span.line, token.span.column
    return Token(Kind.WORD, text, Span(line, column, line, column), False)


def _brace_ahead(parser: Parser, index: int) -> int | None:
    """The opening brace that is the token at `index` or follows on the same line."""
    for position in range(index, len(parser.tokens)):
        token = parser.tokens[position]
        if token.text == "{":
            return position
        if token.first or token.text == "}":
            return None
    return None


def _next_statement(parser: Parser, index: int, depth: int, column: int, any_word: bool) -> int:
    """Where the next statement of an open block begins, or where the innermost of these blocks ends, from `index` on.

    A statement begins with a word of its own at the start of a line or after a brace; where `any_word`, also with any
    word that starts a line and is indented no further than `column`. Pairs of braces are passed over, `depth` of which
    are open, unless a statement inside is indented no further than `column`.
    """
    known = parser.automaton.open_words(parser.stack)
    in_block = brace(parser.stack) is not None
    for position in range(index, len(parser.tokens)):
        token = parser.tokens[position]
        if token.kind is Kind.END:
            return position
        if token.text == "}":
            if depth == 0 and in_block:
                return position
            depth = max(0, depth - 1)
        elif token.text == "{":
            depth += 1
        elif token.kind is Kind.WORD and (token.first or parser.tokens[position - 1].text == "}"):
            outdented = token.span.column <= column
            if token.text in known and (depth == 0 or outdented) and parser.tokens[position + 1].text != "=":
                return position
            if any_word and in_block and depth == 0 and token.first and outdented:
                return position
    raise AssertionError("the last token is the end of the file")
