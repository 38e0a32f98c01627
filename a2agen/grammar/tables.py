"""The parse tables, made from a2a.lark by generate.py."""

from __future__ import annotations

import json
import os.path
from dataclasses import dataclass
from functools import cache

TABLES = os.path.join(os.path.dirname(__file__), "tables.json")

# Terminals go by their texts; these stand for any name, any number and the end of the file.
NAME = "<name>"
NUMBER = "<number>"
END = "<end>"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a reduction does: `length` symbols become one `origin`; `kept` are the symbols that carry meaning."""

    origin: str
    length: int
    kept: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """An LALR(1) automaton; state 0 is the start.

    `actions[state][terminal]` is the state to go to when not negative, else -1 minus the number of a rule to reduce by.
    `gotos[state][nonterminal]` is a state.
    `levels` are the nonterminals at which parsing resumes, each with the words that its statements begin with.
    """

    levels: dict[str, tuple[str, ...]]
    rules: tuple[Rule, ...]
    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[str, int], ...]


@cache
def load() -> Tables:
    with open(TABLES, encoding="utf-8") as file:
        raw = json.load(file)
    levels = {level: tuple(words) for level, words in raw["levels"].items()}
    rules = tuple(Rule(origin, length, tuple(kept)) for origin, length, kept in raw["rules"])
    actions, gotos = zip(*raw["states"], strict=True)
    return Tables(levels, rules, actions, gotos)
