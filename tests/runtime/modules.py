"""Modules of the runtime on packages that are not there: loaded anew, and gone again after."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def loaded(name: str, fakes: dict[str, ModuleType], *others: str) -> Iterator[Any]:
    """The module of a name, with `fakes` in the place of packages; it and `others` are loaded for this alone."""
    names = (name, *others, *fakes)
    before = {n: sys.modules.pop(n, None) for n in names}
    # A package knows its modules by name, too.
    packages = [(sys.modules[top], own) for top, _, own in (n.rpartition(".") for n in names) if top in sys.modules]
    held = [(package, own, package.__dict__.pop(own, None)) for package, own in packages]
    sys.modules.update(fakes)
    try:
        yield importlib.import_module(name)
    finally:
        for n in names:
            sys.modules.pop(n, None)
        sys.modules.update({n: module for n, module in before.items() if module is not None})
        for package, own, known in held:
            package.__dict__.pop(own, None)
            if known is not None:
                setattr(package, own, known)


def module(name: str, **members: Any) -> ModuleType:
    """A module with these members."""
    made = ModuleType(name)
    made.__dict__.update(members)
    return made
