"""Formats emitted Python with ruff, the version that this package pins."""

from __future__ import annotations

import subprocess

from ruff import find_ruff_bin  # type: ignore[import-untyped]

LINE_LENGTH = 110


def format_python(text: str, name: str) -> str:
    """The text as `ruff format` leaves it. Raises ValueError where it is no Python."""
    command = [
        find_ruff_bin(),
        "format",
        "--isolated",
        "--line-length",
        str(LINE_LENGTH),
        "--stdin-filename",
        name,
        "-",
    ]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{name} does not format: {done.stderr.strip()}")
    return done.stdout
