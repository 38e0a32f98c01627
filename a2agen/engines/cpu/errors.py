"""Why a kernel or launcher cannot be run at all, as opposed to what is found while it runs."""

from __future__ import annotations

from collections.abc import Iterable


class KernelError(Exception):
    """A source that does not load, or uses something that the engine does not model.

    `path` and `line` (from 1) say where, or are None where that is not known.
    """

    def __init__(self, reason: str, path: str | None = None, line: int | None = None) -> None:
        self.reason = reason
        self.path = path
        self.line = line
        super().__init__(str(self))

    def __str__(self) -> str:
        if self.path is None:
            return self.reason
        return f"{self.path}:{self.line}: {self.reason}" if self.line else f"{self.path}: {self.reason}"


class UnsupportedError(Exception):
    """A construct outside the subset, raised where it is used; the loader adds the place."""


class Halt(Exception):  # noqa: N818 - no error of the program: what went wrong is a finding already
    """This interleaving cannot go on past what was just reported."""


class OffsetOverflow(Halt):
    """An offset whose value leaves 32 bits, which is what a device would have computed it with."""


def check_options(what: str, options: Iterable[str], known: tuple[str, ...]) -> None:
    """Raise UnsupportedError for an option that is not known to leave the meaning of `what` as it is."""
    for name in options:
        if name not in known:
            raise UnsupportedError(f"{what}({name}=...)")
