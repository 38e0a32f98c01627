"""Typed, strict reading of a profile's TOML tables.

A figure is written `{ value = …, source = "…" }`; a figure without its source is an error, and so is a key that
nobody asked for, since a misspelt limit would otherwise be no limit at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from a2agen.targets.errors import ProfileError


class Fields:
    """One table of a profile. `sources` is shared by all tables of a file and keyed by dotted path."""

    def __init__(self, where: str, prefix: str, data: object, sources: dict[str, str]) -> None:
        if not isinstance(data, dict):
            raise ProfileError(f"{where}: {prefix.rstrip('.')} is {_kind(data)}, wanted a table")
        self._where = where
        self._prefix = prefix
        self._rest: dict[str, Any] = dict(data)
        self._sources = sources

    def text(self, key: str) -> str:
        """A plain string that is no figure and so has no source."""
        value = self._take(key)
        if not isinstance(value, str) or not value:
            raise self._wrong(key, value, "a string that is not empty")
        return value

    def integer(self, key: str) -> int:
        value = self._figure(key)
        if type(value) is not int or value < 0:
            raise self._wrong(key, value, "a whole number of 0 or more")
        return value

    def optional_integer(self, key: str) -> int | None:
        return self.integer(key) if key in self._rest else None

    def flag(self, key: str) -> bool:
        value = self._figure(key)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def optional_flag(self, key: str) -> bool:
        """A property that a table names only where it holds."""
        return self.flag(key) if key in self._rest else False

    def strings(self, key: str) -> tuple[str, ...]:
        value = self._figure(key)
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self._wrong(key, value, "a list of strings")
        return tuple(value)

    def table(self, key: str) -> Fields:
        return Fields(self._where, f"{self._prefix}{key}.", self._take(key), self._sources)

    def optional_table(self, key: str) -> Fields | None:
        return self.table(key) if key in self._rest else None

    def tables(self, key: str) -> Iterator[tuple[str, Fields]]:
        """The named tables inside `key`, in the order of the file."""
        outer = self.table(key)
        for name in list(outer._rest):
            yield name, outer.table(name)

    def texts(self, key: str) -> dict[str, str]:
        """A table of plain strings; empty where the key is absent."""
        inner = self.optional_table(key)
        return {} if inner is None else {name: inner.text(name) for name in list(inner._rest)}

    def finish(self) -> None:
        """Refuses what nobody read."""
        if self._rest:
            raise ProfileError(f"{self._where}: unknown keys {', '.join(self._prefix + k for k in self._rest)}")

    def _take(self, key: str) -> Any:
        if key not in self._rest:
            raise ProfileError(f"{self._where}: {self._prefix}{key} is missing")
        return self._rest.pop(key)

    def _figure(self, key: str) -> Any:
        figure = self._take(key)
        if not isinstance(figure, dict) or set(figure) != {"value", "source"}:
            raise self._wrong(key, figure, '{ value = …, source = "…" }')
        source = figure["source"]
        if not isinstance(source, str) or not source:
            raise self._wrong(f"{key}.source", source, "a string that is not empty")
        self._sources[self._prefix + key] = source
        return figure["value"]

    def _wrong(self, key: str, found: object, wanted: str) -> ProfileError:
        return ProfileError(f"{self._where}: {self._prefix}{key} is {_kind(found)}, wanted {wanted}")


def _kind(value: object) -> str:
    return "a table" if isinstance(value, dict) else repr(value)
