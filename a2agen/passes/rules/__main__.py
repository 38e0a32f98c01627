"""Writes the pages of the rules into the folder named, and removes pages of rules that are gone."""

from __future__ import annotations

import sys
from pathlib import Path

from a2agen.passes.rules.document import pages


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    made = pages()
    for path in folder.glob("*.md"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m a2agen.passes.rules FOLDER")
    main(Path(sys.argv[1]))
