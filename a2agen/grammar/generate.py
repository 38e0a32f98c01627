"""Turns a2a.lark into the tables that the parser reads: `python -m a2agen.grammar.generate`.

Lark takes a tenth of a second to import, so it does its work here, once, and not whenever a spec is parsed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from lark import Lark
from lark.grammar import Rule
from lark.parsers.lalr_analysis import Shift

from a2agen.grammar.tables import END, NAME, NUMBER, TABLES

GRAMMAR = Path(__file__).with_name("a2a.lark")
SPECIAL = {"NAME": NAME, "INT": NUMBER, "$END": END}


def tables(grammar: str) -> str:
    """The tables for the text of a grammar, as JSON text; equal grammars give equal texts."""
    lark = Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=False)
    # Terminals go by the text that they match, so that tables and messages need no second vocabulary.
    texts = {t.name: re.sub(r"\\(.)", r"\1", t.pattern.to_regexp()) for t in lark.terminals} | SPECIAL
    rules = sorted(lark.rules, key=_rule_key)
    rule_numbers = {_rule_key(rule): number for number, rule in enumerate(rules)}

    table = lark.parser.parser._parse_table
    states = [table.start_states["start"]]
    state_numbers = {states[0]: 0}
    rows: list[tuple[dict[str, int], dict[str, int]]] = []
    for state in states:  # grows while it is walked: breadth first, so that the numbers do not depend on Lark's
        # Lark has the end of the file accepted in a state without actions; here it is one more terminal that fits.
        actions, gotos = {END: 0} if state == table.end_states["start"] else {}, {}
        for symbol, (action, argument) in sorted(table.states[state].items()):
            if action is Shift:
                if argument not in state_numbers:
                    state_numbers[argument] = len(states)
                    states.append(argument)
                number = state_numbers[argument]
            else:
                number = -1 - rule_numbers[_rule_key(argument)]
            if symbol in texts:
                actions[texts[symbol]] = number
            else:
                gotos[symbol] = number
        rows.append((actions, gotos))

    levels: dict[str, list[str]] = {}
    for rule in lark.rules:
        origin = str(rule.origin.name)
        if origin.endswith("_statement"):
            (statement,) = rule.expansion
            first = next(r.expansion[0] for r in lark.rules if r.origin == statement)
            levels.setdefault(origin, []).append(texts[first.name])

    kept = [[i for i, s in enumerate(rule.expansion) if not getattr(s, "filter_out", False)] for rule in rules]
    packed_rules = [[str(r.origin.name), len(r.expansion), k] for r, k in zip(rules, kept, strict=True)]
    return "".join(
        [
            '{"levels": ' + json.dumps(levels) + ",\n",
            '"rules": [\n' + ",\n".join(map(json.dumps, packed_rules)) + "],\n",
            '"states": [\n' + ",\n".join(map(json.dumps, rows)) + "]}\n",
        ]
    )


def _rule_key(rule: Rule) -> tuple[str, ...]:
    return (str(rule.origin.name), *(str(symbol.name) for symbol in rule.expansion))


if __name__ == "__main__":
    Path(TABLES).write_text(tables(GRAMMAR.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
