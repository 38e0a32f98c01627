"""README.md: its tour prints what it says it prints, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from a2agen.passes.rules.registry import rules
from a2agen.targets.profile import names
from tests.docs.document import ROOT, Follower, blocks, sections
from tests.emit.conftest import emit
from tests.runtime.fakes import Ranks, Tensor, launcher

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
TOUR = "A five-minute tour"


def test_the_tour(tmp_path: Path) -> None:
    assert Follower(tmp_path).follow(sections(README)[TOUR]) == []


def test_a_stale_tour_is_found(tmp_path: Path) -> None:
    stale = sections(README)[TOUR].replace("up to date", "written")
    assert "up to date" in Follower(tmp_path).follow(stale)[0]


def test_the_tour_uses_every_command() -> None:
    console = "".join(b.text for b in blocks(sections(README)[TOUR]) if b.language == "console")
    used = set(re.findall(r"^\$ a2agen (\w+)", console, re.MULTILINE))
    assert used == {"lint", "compile", "run", "simulate", "plan", "explain", "targets"}


def test_the_call() -> None:
    parts = blocks(sections(README)[TOUR])
    (call,) = (b.text for b in parts if b.language == "python")
    (spec,) = (b.text for b in parts if b.path == "combine.a2a")
    made = "from generated.combine.piped.launcher import Exchange\n"
    assert call.startswith(made)
    one, ranks = emit(spec), Ranks(4)
    rows = Tensor((4 * 20, 300), "torch.bfloat16", address=1 << 40)
    with launcher(one.files["launcher.py"], [kernel.name for kernel in one.kernels], ranks.log) as exchange:
        names = {"Exchange": exchange, "group": ranks, "A": rows}
        exec(call.removeprefix(made), names)
    assert names["C"].shape == (20, 4 * 300)
    assert [entry[0] for entry in ranks.log if entry[0] == "launch"] == ["launch"]
    assert len(ranks.freed) == len(ranks.allocated) > 0


def test_rules_and_targets() -> None:
    stated = re.search(r"More than (\d+) rules", README)
    assert stated is not None
    assert int(stated[1]) < len(rules())
    for name in names():
        assert f"`{name}`" in README


def broken_links(page: Path) -> list[str]:
    """The links of a page to files that are not there."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text) + re.findall(r'src="([^"]+)"', text)
    return [t for t in targets if "://" not in t and not (page.parent / t).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](page.md#x) [b](gone.md) [c](https://example.org/gone)")
    assert broken_links(page) == ["gone.md"]
