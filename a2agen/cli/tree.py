"""A folder of generated files: written as a whole or not at all, and compared with what it should hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

OTHERS = ("__pycache__", "ascend.md", "nvidia.md")
"""What a folder of generated files may hold beside them: Python's own files, and the tables of `a2agen build`."""


class WriteError(Exception):
    """The file system refused; nothing of the tree was replaced."""


@dataclass(frozen=True, slots=True)
class Drift:
    """A file or folder that is not as the specs say. `spec` makes it; None where no spec does."""

    path: Path
    spec: str | None
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """What `root` should hold: `files` maps relative paths to texts, `owners` relative folders to their spec."""

    root: Path
    owners: dict[str, str]
    files: dict[str, str]

    def write(self) -> list[Path]:
        """Brings the folder up to date and returns what changed; raises `WriteError`.

        All texts are on disk under temporary names before the first file is replaced. A file that already has its
        text keeps its modification time. Files that no spec makes stay where they are.
        """
        staged: list[tuple[Path, Path]] = []
        try:
            for name, text in sorted(self.files.items()):
                path = self.root / name
                if _holds(path, text):
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.is_dir():
                    raise WriteError(f"can't write {path}: it is a folder")
                temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
                staged.append((temporary, path))
                temporary.write_text(text, encoding="utf-8", newline="\n")
            for temporary, path in staged:
                os.replace(temporary, path)
        except OSError as failure:
            raise WriteError(f"can't write {failure.filename}: {failure.strerror}") from failure
        finally:
            for temporary, _ in staged:
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
        return [path for _, path in staged]

    def drifts(self) -> list[Drift]:
        """Every stale, missing or extra file, by path. A folder that no spec makes counts as one."""
        found = [
            Drift(path, self.owners[str(Path(name).parent)], missing=not path.exists())
            for name, text in self.files.items()
            for path in [self.root / name]
            if not _holds(path, text, any_line_end=True)
        ]
        return sorted([*found, *(Drift(path, None) for path in self._extra(self.root))], key=lambda d: d.path)

    def _extra(self, folder: Path) -> Iterator[Path]:
        expected = {self.root / name for name in self.files}
        parents = {parent for path in expected for parent in path.parents}
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.name.startswith(".") or path.name in OTHERS or path in expected:
                continue
            if path in parents:
                yield from self._extra(path)
            elif not path.is_dir() or _has_files(path):
                yield path


def _has_files(folder: Path) -> bool:
    return any(not path.is_dir() and "__pycache__" not in path.parts for path in folder.rglob("*"))


def _holds(path: Path, text: str, any_line_end: bool = False) -> bool:
    """Whether a file has exactly this text; `any_line_end` lets a checkout have changed its line ends."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    if any_line_end:
        data = data.replace(b"\r\n", b"\n")
    return data == text.encode("utf-8")
