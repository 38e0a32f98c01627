"""docs/protocol.md shows the table as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from a2agen.passes.protocol.__main__ import main
from a2agen.passes.protocol.document import BEGIN, END, render, update
from a2agen.passes.protocol.table import TABLE

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol.md"


def test_the_document_is_fresh() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert update(text) == text, f"stale: run python -m a2agen.passes.protocol {DOCUMENT.name}"


def test_every_reason_is_shown() -> None:
    text = render()
    assert len([line for line in text.splitlines() if line.startswith("|")]) == len(TABLE) + 4
    assert all(row.error in text for row in TABLE if row.error is not None)


def test_writing_keeps_what_lies_around(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    main([str(page)])
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    main([])
    assert capsys.readouterr().out == render() + "\n"


def test_a_document_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="wanted the lines"):
        update("# no table here\n")
