"""Reads a spec from a file."""

from __future__ import annotations

from a2agen.findings import Finding
from a2agen.source import Source, Span

UNREADABLE = "A102"
MOST_BYTES = 16 * 2**20


def read(path: str) -> Source | Finding:
    """The text of a file, without a byte order mark; a finding when it can't be read or is no UTF-8 text.

    That a path names no file is for the caller to judge: FileNotFoundError, NotADirectoryError, IsADirectoryError pass.
    That a file is empty is found by `parse`, which also knows what a comment is.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise
    except OSError as failure:
        return _unreadable(path, f"the file can't be read: {failure.strerror or failure}")
    if len(data) > MOST_BYTES:
        return _unreadable(path, f"the file is larger than {MOST_BYTES // 2**20} MiB, which no spec is")
    try:
        return Source(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        # The offset counts from behind a byte order mark, as the columns do.
        good = data.removeprefix(b"\xef\xbb\xbf")[: failure.start].decode("utf-8", errors="replace")
        return _unreadable(
            path, f"the file is not UTF-8: {failure.reason} (byte 0x{failure.object[failure.start]:02x})", good
        )


def _unreadable(path: str, message: str, good: str = "") -> Finding:
    """A finding at the end of what is good of the file."""
    lines = good.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    return Finding(UNREADABLE, message, path, Span(line, column, line, column), help="a spec is a text in UTF-8")
