"""Lines of a source text, as findings point at them."""

from __future__ import annotations

import pytest

from a2agen.source import Source


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_the_parser_counts_them(end: str) -> None:
    source = Source("s.a2a", end.join(["first", "sec\u2028ond \x0c", "third"]))
    assert [source.line(n) for n in range(5)] == ["", "first", "sec\u2028ond \x0c", "third", ""]
