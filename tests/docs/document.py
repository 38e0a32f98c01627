"""Follows a document: writes its files, makes its edits and runs its commands, in order, in a folder.

Three kinds of fenced blocks say what to do; the others are left alone.

    ```LANGUAGE PATH   the text of a file
    ```diff PATH       an edit: the lines with a blank or `-` stand together in the file, once; those with a blank or
                       `+` come in their place
    ```console         commands, each after `$ `, and what they print; a line `...` stands for any lines

A command must end with exit code 0, so a document that shows a failure says so: `a2agen lint bad.a2a || true`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS = re.compile(r" +\d+\.\d+ ?s\b")
_ELLIPSIS = "..."


@dataclass(frozen=True)
class Block:
    """A fenced block, and the line of the document where it begins."""

    language: str
    path: str | None
    text: str
    line: int


def blocks(document: str) -> list[Block]:
    """All fenced blocks with a language, in order."""
    return [Block(m[1], m[2], m[3], document.count("\n", 0, m.start()) + 1) for m in _FENCE.finditer(document)]


def sections(document: str) -> dict[str, str]:
    """The parts of a document by their headings of the second level, with empty lines in front that keep the lines."""
    found: dict[str, str] = {}
    for match in re.finditer(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", document, re.MULTILINE | re.DOTALL):
        found[match[1]] = "\n" * document.count("\n", 0, match.start()) + match[0]
    return found


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *printed = part.rstrip("\n").split("\n")
        while command.endswith("\\"):
            command = f"{command[:-1]}{printed.pop(0)}"
        yield command, printed


def same(expected: Sequence[str], found: Sequence[str]) -> bool:
    """Whether lines are as expected, up to seconds and white space at their ends."""
    if not expected:
        return not found
    if expected[0].strip() == _ELLIPSIS:
        return any(same(expected[1:], found[n:]) for n in range(len(found) + 1))
    return bool(found) and _plain(expected[0]) == _plain(found[0]) and same(expected[1:], found[1:])


def _plain(line: str) -> str:
    return _SECONDS.sub(" # s", line).rstrip()


class Follower:
    """Follows a document in `folder`, with the package in `package`; the project's own, unless it is told."""

    def __init__(self, folder: Path, package: Path = ROOT) -> None:
        self.folder = folder
        self.faults: list[str] = []
        tools = folder / ".tools"
        tools.mkdir()
        for name, call in (("a2agen", " -m a2agen.cli"), ("python", "")):
            tool = tools / name
            tool.write_text(f'#!/bin/sh\nexec "{sys.executable}"{call} "$@"\n', encoding="utf-8")
            tool.chmod(0o755)
        path = os.pathsep.join((str(tools), os.path.dirname(sys.executable), os.environ["PATH"]))
        self._environment = {**os.environ, "PATH": path, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
        # A test runner that runs this one leaves its mark on those below it.
        for name in [n for n in self._environment if n.startswith("PYTEST_")]:
            del self._environment[name]

    def follow(self, document: str) -> list[str]:
        """What was not as the document says; nothing where all of it was. Stops at the first block at fault."""
        for block in blocks(document):
            if block.language == "console":
                self._run(block)
            elif block.path is not None and block.language == "diff":
                self._edit(block, self.folder / block.path)
            elif block.path is not None:
                path = self.folder / block.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            if self.faults:
                break
        return self.faults

    def _edit(self, block: Block, path: Path) -> None:
        lines = block.text.splitlines(keepends=True)
        old = "".join(line[1:] or "\n" for line in lines if line[0] in " -\n")
        new = "".join(line[1:] or "\n" for line in lines if line[0] in " +\n")
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            self.faults.append(f"line {block.line}: {block.path} holds the old lines {text.count(old)} times")
            return
        path.write_text(text.replace(old, new), encoding="utf-8")

    def _run(self, block: Block) -> None:
        for command, expected in commands(block.text):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=self.folder,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            found = done.stdout.replace(f"{self.folder}/", "").splitlines()
            if done.returncode != 0 or not same(expected, found):
                printed = "\n".join(found)
                self.faults.append(f"line {block.line}: {command}: exit code {done.returncode}, printed\n{printed}")
                return
