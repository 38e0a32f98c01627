"""Schedules with `link auto`: checked by each link, each fault told once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from a2agen.emit.backends import BACKENDS
from a2agen.emit.compile import compile_spec
from a2agen.emit.unsupported import unsupported
from a2agen.passes.check import Checked, check
from a2agen.source import Source
from tests.auto_spec import auto_spec
from tests.straight import straight

TEXT = auto_spec("e", "s")


def checked(*changes: tuple[str, str]) -> Checked:
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return check(Source("e.a2a", text))


def test_both_ways_are_sound_and_in_one_folder():
    found = checked()
    assert found.findings == ()
    assert [s.name for s in found.schedules] == ["s_ldst", "s_ce"]
    assert all(found.sound(s) for s in found.schedules)
    texts, refused = compile_spec(found, found.source)
    assert (list(texts), refused) == (["e/s/kernel.py", "e/s/launcher.py", "e/s/manifest.json"], ())


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("  place  C symmetric\n", ""), "A507"),
        (("rounds epoch", "rounds reset"), "A602"),
        (("[(to S) H D]", "[(to S) H D] strided"), None),
        (("role mover : all", "role mover : all\n  role idle : all"), "A402"),
    ],
)
def test_a_fault_of_both_is_told_once(change, code):
    found = checked(change)
    errors = [f.code for f in found.findings if f.severity.value == "error"]
    assert errors == ([] if code is None else [code])
    assert [found.sound(s) for s in found.schedules] == [code is None] * 2


def test_a_suppression_holds_for_both():
    loud = checked(("role mover : all", "role mover : all\n  role idle : odd"))
    said = {f.code for f in loud.findings}
    assert said
    code = sorted(said)[0]
    quiet = checked(("role mover : all", f"role mover : all\n  role idle : odd   # a2a: allow[{code}] for another day"))
    assert {f.code for f in quiet.findings} == said - {code}


def test_two_schedules_may_be_called_as_a_way_of_another():
    direct = straight("e", "s_ldst", "ldst")
    found = check(Source("e.a2a", TEXT + direct))
    assert found.findings == ()
    assert len(compile_spec(found, found.source)[0]) == 6


@pytest.mark.parametrize("name", ["times", "cls", "slabs"])
def test_names_that_the_launcher_makes_for_either_link_are_refused(name):
    found = checked(("dim   H", f"dim   {name}"), (" H", f" {name}"))
    assert found.findings == ()
    refused = {f for s in found.schedules for f in unsupported(s, found.source)}
    assert [f.code for f in refused] == ["A399"]


def test_a_back_end_without_a_choice_says_so(monkeypatch):
    found = checked()
    backend = BACKENDS["triton_dist"]
    assert unsupported(found.schedules[0], found.source) == ()
    monkeypatch.setattr("a2agen.emit.unsupported.BACKENDS", {"triton_dist": replace(backend, choosing=None)})
    (finding,) = unsupported(found.schedules[0], found.source)
    assert (finding.code, finding.help) == ("A399", "write `link ldst`")


@pytest.mark.parametrize(("target", "links"), [("h200", "ldst, ce, put, auto"), ("h100", "ldst, ce, put")])
def test_auto_is_named_where_there_is_a_choice(target, links):
    (finding,) = checked(("auto", "nvlink"), ("target h200", f"target {target}")).findings
    assert (finding.code, finding.help) == ("A103", f"the links are {links}")
