"""docs/udma.md: what it quotes of kernels is in them, and what it names is there."""

from __future__ import annotations

import re

import pytest

from tests.docs.document import ROOT

TEXT = (ROOT / "docs" / "udma.md").read_text(encoding="utf-8")
QUOTES = re.findall(r"^```cpp (\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def holds(kernel: list[str], quote: list[str]) -> bool:
    return any(kernel[n : n + len(quote)] == quote for n in range(len(kernel)))


@pytest.mark.parametrize(("folder", "quote"), QUOTES)
def test_kernels_hold_what_is_quoted_of_them(folder: str, quote: str) -> None:
    kernel = lines((ROOT / "generated" / folder / "kernel.cpp").read_text(encoding="utf-8"))
    assert holds(kernel, lines(quote))
    assert not holds(kernel, [*lines(quote), "something else"])


def test_rules_and_schedules_that_it_names_are_there() -> None:
    codes = set(re.findall(r"\bA\d{3}\b", TEXT))
    assert codes
    assert [code for code in sorted(codes) if not (ROOT / "docs" / "rules" / f"{code}.md").exists()] == []
    named = set(re.findall(r"`(udma_\w+)`", TEXT))
    shipped = {folder.name for folder in (ROOT / "generated").glob("*/udma_*") if (folder / "kernel.cpp").exists()}
    assert named == shipped
