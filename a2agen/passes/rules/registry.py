"""All rules, found by the names of their files."""

from __future__ import annotations

import pkgutil
import re
from dataclasses import replace
from functools import cache
from importlib import import_module

from a2agen.passes import rules as package
from a2agen.passes.rules.rule import Rule

_RULE_FILE = re.compile(r"a\d{3}_\w+")


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, by code. A rule file binds its one rule to the name `check` or `RULE`."""
    found = []
    for module_info in pkgutil.iter_modules(package.__path__):
        if _RULE_FILE.fullmatch(module_info.name):
            module = import_module(f"{package.__name__}.{module_info.name}")
            rule = module.RULE if hasattr(module, "RULE") else module.check
            found.append(replace(rule, doc=(module.__doc__ or "").strip()))
    return tuple(sorted(found, key=lambda rule: rule.code))


def rule(code: str) -> Rule | None:
    """The rule of a code, in either case; None where there is none."""
    return next((r for r in rules() if r.code == code.upper()), None)
