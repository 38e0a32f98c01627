"""The follower of documents sees what is not as a document says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.document import Follower, blocks, same, sections


def test_follows_files_edits_and_commands(tmp_path: Path) -> None:
    document = """
```text notes/a.txt
one
two
three
```
```diff notes/a.txt
 one
-two
+2
```
```console
$ cat notes/a.txt
one
2
three
$ echo took 3.20 s; \\
  echo more
took 0.01 s
...
$ grep four notes/a.txt || true
```
```python
not followed: no path
```
"""
    assert Follower(tmp_path).follow(document) == []
    assert (tmp_path / "notes/a.txt").read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ("```console\n$ echo a\nb\n```", "line 1: echo a: exit code 0, printed\na"),
        ("```console\n$ echo a\n```", "line 1: echo a: exit code 0, printed\na"),
        ("```console\n$ echo a; false\na\n```", "line 1: echo a; false: exit code 1, printed\na"),
        ("\n```text f\na\n```\n```diff f\n-b\n+c\n```", "line 5: f holds the old lines 0 times"),
        ("```text f\na\na\n```\n```diff f\n-a\n+c\n```", "line 5: f holds the old lines 2 times"),
    ],
)
def test_what_is_not_as_said_is_a_fault(tmp_path: Path, document: str, fault: str) -> None:
    assert Follower(tmp_path).follow(document) == [fault]


@pytest.mark.parametrize(
    ("expected", "found", "verdict"),
    [
        (["..."], [], True),
        (["...", "b"], ["a", "a", "b"], True),
        (["...", "b"], ["a", "b", "c"], False),
        (["a", "...", "c", "..."], ["a", "b", "c", "d"], True),
        (["a", "...", "c"], ["a", "b"], False),
        (["1 run, 1.5 s"], ["1 run, 22.0 s"], True),
        (["1 run, 1.5 s"], ["2 runs, 1.5 s"], False),
    ],
)
def test_lines(expected: list[str], found: list[str], verdict: bool) -> None:
    assert same(expected, found) is verdict


def test_blocks_and_sections() -> None:
    document = "# T\n\n## One\n```a b.c\nx\n```\n## Two\ntext\n"
    assert [(b.language, b.path, b.text, b.line) for b in blocks(document)] == [("a", "b.c", "x\n", 4)]
    assert list(sections(document)) == ["One", "Two"]
    assert [b.line for b in blocks(sections(document)["One"])] == [4]
