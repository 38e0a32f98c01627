"""What `help` offers in words of the language can be put into the spec as it stands: the finding is gone, and no other
fault has come in its place."""

from __future__ import annotations

import pytest

from a2agen.findings import Finding, Severity
from a2agen.passes.check import check
from a2agen.source import Source
from tests.fuzz.faults import changed
from tests.rules.golden import findings_of, fixture, stems
from tests.rules.offers import Edit, Offer, applied, offers

SEEDS = 300
# What a reader has to find the place for.
BY_HAND = {"A106": ("even", "odd", "all", "host"), "A203": ("move",), "A314": ("i8",), "A316": ("complete",)}


def all_offers() -> dict[str, tuple[Source, tuple[Finding, ...], Finding, Offer]]:
    found = {}
    for stem in stems():
        source, findings = findings_of(fixture(stem))
        for n, finding in enumerate(findings):
            for offer in offers(finding.help):
                if offer.edits[0].keyword not in BY_HAND.get(finding.code, ()):
                    words = " and ".join(edit.text for edit in offer.edits)
                    found[f"{stem} {n} {offer.edits[0].verb} {words}"] = (source, findings, finding, offer)
    return found


OFFERS = all_offers()


def remains(text: str, source: Source, findings: tuple[Finding, ...], finding: Finding, whole: bool) -> list[str]:
    """What is wrong with a changed spec: the finding, or an error that was not there, where nothing else is to do."""
    known = [(f.code, f.message) for f in findings]
    after = [(f.code, f.message, f.severity) for f in check(Source(source.path, text)).findings]
    told = [code for code, message, _ in after if (code, message) == (finding.code, finding.message)]
    wrong = [finding.message] if len(told) >= known.count((finding.code, finding.message)) else []
    new = [m for code, m, severity in after if severity is Severity.ERROR and (code, m) not in known]
    return wrong + (new if whole else [])


@pytest.mark.parametrize("name", OFFERS)
def test_a_replacement_does_away_with_its_finding(name):
    source, findings, finding, offer = OFFERS[name]
    text = applied(source, finding, offer)
    words = " and ".join(f"{edit.verb} `{edit.text}`" for edit in offer.edits)
    place = f"line {finding.span.line} of {source.path}"
    assert text is not None, (
        f"`{finding.help}`: {words} was not found to fit {place} or its block; `_Spec.edit` in tests/rules/offers.py "
        f"says where each verb looks"
    )
    assert text != source.text, f"`{finding.help}`: {words} leaves {place} as it is"
    assert remains(text, source, findings, finding, offer.whole) == [], f"{words}, tried at {place}"


@pytest.mark.parametrize(
    ("edit", "fault"),
    [
        (Edit("write", "link put"), "put is for other ranks alone, and this move is for all"),
        (Edit("write", "link ce"), "ce is started by the host, and role mover is of cores (all)"),
        (Edit("write", "ranks W in 2..9"), "ldst of h200 connects 8 ranks, and W may be 9"),
        (Edit("write", "ranks W in 2..16"), "ldst of h200 connects 8 ranks, and W may be 16"),
    ],
)
def test_a_replacement_that_the_rules_refuse_next_would_be_seen(edit, fault):
    source, findings = findings_of(fixture("a311_ranks_beyond_reach"))
    finding = next(f for f in findings if f.code == "A311")
    text = applied(source, finding, Offer((edit,), True))
    assert text is not None
    assert any(one.startswith(fault) for one in remains(text, source, findings, finding, True))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("write `a 1` or `b`", [["a 1"], ["b"]]),
        ("write `a`, `b` or `c`", [["a"], ["b"], ["c"]]),
        ("write `a` and `b`, or leave out `c`", [["a", "b"], ["c"]]),
        ("write `a` and leave out `b`", [["a", "b"]]),
        ("lay P out as `[S]`, or write `b`", [["[S]"], ["b"]]),
        ("the links are `a` and `b`", []),
        ("add `role NAME : even`", []),
        (None, []),
    ],
)
def test_all_that_a_help_offers_is_tried(text, wanted):
    assert [[edit.text for edit in offer.edits] for offer in offers(text)] == wanted


def test_few_replacements_in_random_specs_are_refused_next():
    """Of those that are enough by themselves; what else is wrong with a spec can stand in the way of any."""
    tried, refused = 0, []
    for seed in range(SEEDS):
        source = Source(f"{seed}.a2a", changed(seed).text())
        findings = check(source).findings
        for finding in findings:
            for offer in offers(finding.help):
                text = applied(source, finding, offer) if offer.whole else None
                if text is not None:
                    tried += 1
                    codes = {f.code for f in check(Source(source.path, text)).findings if f.severity is Severity.ERROR}
                    refused += [(seed, finding.help, code) for code in codes - {f.code for f in findings}]
    assert tried > SEEDS / 3
    assert len(refused) < tried / 20, refused


def test_most_rules_offer_a_replacement():
    """A rule that stops offering one is noticed."""
    codes = {finding.code for _, _, finding, _ in OFFERS.values()}
    assert len(codes) >= 44, sorted(codes)
