"""Prints the launch-protocol table, or writes it between the markers of the documents named."""

from __future__ import annotations

import sys
from pathlib import Path

from a2agen.passes.protocol.document import render, update


def main(paths: list[str]) -> None:
    for path in map(Path, paths):
        path.write_text(update(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    if not paths:
        print(render())


if __name__ == "__main__":
    main(sys.argv[1:])
