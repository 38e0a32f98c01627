"""Loads a generated folder as a package, with the stand-in where Triton-Distributed is missing."""

from __future__ import annotations

import hashlib
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from a2agen.runtime import standin


def exchange_class(folder: str | Path, link: str | None = None) -> Any:
    """The class `Exchange` of a folder's launcher, or of its operators the one by a link; the same folder gives the
    same class.

    Raises FileNotFoundError where the folder has no launcher.
    """
    standin.install()
    place = Path(folder).resolve()
    if not (place / "launcher.py").is_file():
        raise FileNotFoundError(f"{place} has no launcher.py")
    name = f"a2agen_generated_{hashlib.sha256(str(place).encode()).hexdigest()[:16]}"
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(place)]
        sys.modules[name] = package
    exchange = importlib.import_module(f"{name}.launcher").Exchange
    return exchange if link is None else exchange.links[link]
