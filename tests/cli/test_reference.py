"""`explain` and `targets`: what the compiler knows, shown."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from a2agen.findings import Severity
from a2agen.targets import profile


@dataclass(frozen=True)
class Rule:
    code: str
    name: str
    summary: str
    doc: str
    severity: Severity = Severity.ERROR


@pytest.fixture
def _rules(stand_in) -> None:
    rules = (Rule("A302", "two", "The second.", "The second.\n\nWhy."), Rule("A301", "one", "The first.", "The first."))
    stand_in("a2agen.passes.rules.registry", rules=lambda: rules)


@pytest.mark.usefixtures("_rules")
def test_explains_a_rule(cli):
    assert cli("explain", "A302").out == cli("explain", "a302").out == "A302 two (error)\n\nThe second.\n\nWhy.\n"


@pytest.mark.usefixtures("_rules")
def test_lists_the_rules(cli):
    assert cli("explain").out == "A301  error  one  The first.\nA302  error  two  The second.\n"


@pytest.mark.usefixtures("_rules")
@pytest.mark.parametrize(
    ("code", "hint"), [("A399", "A301, A302"), ("nonsense", "lists all rules"), ("tow", "did you mean two?")]
)
def test_an_unknown_code_is_wrong_use(cli, code, hint):
    done = cli("explain", code)
    assert (done.code, done.out) == (2, "")
    assert hint in done.err


@pytest.mark.usefixtures("_rules")
@pytest.mark.parametrize("code", ["302", "two", "TWO"])
def test_a_rule_has_a_number_and_a_name(cli, code):
    assert cli("explain", code).out.startswith("A302 two (error)\n")


@pytest.mark.usefixtures("_rules")
@pytest.mark.parametrize("code", ["A3", "a3", "3"])
def test_lists_the_rules_of_a_family(cli, code):
    assert cli("explain", code).out.splitlines() == ["A301  error  one  The first.", "A302  error  two  The second."]
    assert cli("explain", "A4").code == 2


def test_targets_by_their_names(cli):
    done = cli("targets", "h200", "ascend950")
    assert [text.partition(":")[0] for text in done.out.split("\n\n")[:-1]] == ["h200", "ascend950"]
    done = cli("targets", "h20")
    assert (done.code, done.out) == (2, "")
    assert "there is no target h20; did you mean h200?" in done.err
    assert "the targets are " in cli("targets", "abacus").err


def test_targets_names_every_profile_with_its_links(cli):
    done = cli("targets")
    assert done.code == 0
    for name in profile.names():
        target = profile.load(name)
        (section,) = [s for s in done.out.split("\n\n") if s.startswith(f"{name}: ")]
        assert all(link in section for link in target.links)
        assert all(backend in section for backend in target.backends)
