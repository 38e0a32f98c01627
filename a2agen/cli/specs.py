"""The specs that a command is given: wrong arguments are refused, what is in the files is checked."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from a2agen.findings import Finding, Severity, fails

if TYPE_CHECKING:
    from a2agen.passes.check import Checked
    from a2agen.source import Source

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec as given: its source and what the checks made of it, or the finding that says why it can't be read."""

    path: str
    source: Source | None
    checked: Checked | None
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        return any(f.severity is Severity.ERROR for f in self.findings)

    @property
    def fails(self) -> bool:
        """Whether its findings make the exit code 1."""
        return fails(self.findings)


def specs_argument(function: F) -> F:
    """Adds the argument SPEC…, one path or more."""
    return click.argument("paths", metavar="SPEC...", nargs=-1, required=True, type=click.Path())(function)


def load(paths: tuple[str, ...]) -> list[Spec]:
    """Reads and checks the specs, each file once; raises `click.UsageError` for paths that name no file."""
    unique: dict[str, str] = {}
    for path in paths:
        must_be_file(path, f"the specs in it, as in {os.path.join(path, '*.a2a')}")
        unique.setdefault(os.path.realpath(path), path)
    return [_check(path) for path in unique.values()]


def findings_of(specs: list[Spec]) -> tuple[Finding, ...]:
    """All findings, spec by spec as given, by place within a spec."""
    return tuple(f for spec in specs for f in sorted(spec.findings, key=lambda f: f.sort_key))


def sources_of(specs: list[Spec]) -> dict[str, Source]:
    return {spec.path: spec.source for spec in specs if spec.source is not None}


def must_be_file(path: str, instead: str) -> None:
    """Raises `click.UsageError` for a path that names no file; `instead` is what to name in place of a folder."""
    if os.path.isdir(path):
        raise click.UsageError(f"{path} is a folder; name {instead}")
    if not os.path.exists(path):
        raise click.UsageError(f"there is no file {path or 'without a name'}{_meant(path)}")


def _meant(path: str) -> str:
    """The file beside a missing one that was probably meant."""
    from difflib import get_close_matches

    folder, name = os.path.split(path)
    try:
        beside = os.listdir(folder or ".")
    except OSError:  # no such folder, or none that may be read
        return ""
    close = get_close_matches(name, beside, n=1, cutoff=0.8)
    return f"; did you mean {os.path.join(folder, close[0])}?" if close else ""


def _check(path: str) -> Spec:
    # The grammar is loaded here, after the arguments are known to be right.
    from a2agen.grammar.read import read
    from a2agen.passes.check import check

    source = read(path)
    if isinstance(source, Finding):
        return Spec(path, None, None, (source,))
    checked = check(source)
    return Spec(path, source, checked, checked.findings)
