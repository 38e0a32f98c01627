"""Whoever follows a help that names a number has the finding no more."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from a2agen.findings import Finding
from a2agen.passes.check import check
from a2agen.source import Source
from tests.fuzz.faults import changed
from tests.rules.golden import findings_of, fixture, stems
from tests.rules.offers import applied, offers

# What stands for something that only the author knows.
BLANK = re.compile(r"…|NAME|ROLE|, with ")
QUOTED = re.compile(r"`([^`]*\d[^`]*)`")
SEEDS = 300
# What a help with a number must not be taken for: a name, a target, the example of a statement that is missing.
NO_NUMBERS = {"A103", "A104", "A106", "A109", "A301", "A308", "A312", "A313", "A402", "A408", "A409"}


def followed(source: Source, finding: Finding) -> Iterator[tuple[str, str]]:
    """Each replacement with a number that the help of a finding offers, and the spec after it."""
    if finding.code in NO_NUMBERS or BLANK.search(finding.help or ""):
        return
    for text in QUOTED.findall((finding.help or "").replace("leave out `", "leave out ")):
        spec = with_bound(source, finding, text) if text.startswith("where ") else _replaced(source, finding, text)
        if spec is not None:
            yield text, spec


def _replaced(source: Source, finding: Finding, text: str) -> str | None:
    verb = "add" if f"add `{text}`" in (finding.help or "") else "write"
    rest = (finding.help or "").partition(f"`{text}`")[2]
    offer = next(offers(f"{verb} `{text}`{rest}"), None)
    return None if offer is None else applied(source, finding, offer)


def with_bound(source: Source, finding: Finding, text: str) -> str:
    """The spec with a bound in the exchange that a finding is about: the last one that begins before it, or is named by
    the schedule in which it is."""
    lines = source.text.split("\n")
    above = "\n".join(lines[: finding.span.line])
    name = re.findall(r"\b(?:exchange|schedule +\w+ +for) +(\w+)", above)[-1]
    return re.sub(rf"(\bexchange +{name} *{{)", rf"\1 {text}", source.text, count=1)


def told(path: str, text: str, code: str) -> list[Finding]:
    return [f for f in check(Source(path, text)).findings if f.code == code]


EXCHANGE = """exchange e {{
  ranks W in 2..{ranks}
  dim   S in 1..{s}
  dim   D in 1..{d}
  in  A : {dtype} [(to S) D]
  out C : {dtype} [(from S) D]
  {more}
}}
"""
FLAGGED = """schedule s for e {{
  target ascend950
  emit   ascendc
  buffer K : [to S D] local flagged
  buffer P : [from S D] symmetric flagged
  role   packer : even, rest of sender
  role   sender : even, one per peer
  role   reader : odd
  phase pack on packer {{ move A -> K for others link mte tile D {tile} ready notify per peer }}
  phase send on sender {{ move K -> P for others link udma {options} ready {ready} }}
  phase read on reader {{ move P -> C for others move A -> C for self link mte tile D {tile} }}
  rounds epoch
}}
"""
DIRECT = """schedule s for e {
  target h200
  emit   triton_dist
  place  C symmetric
  role   mover : all
  phase send on mover { move A -> C link ldst tile D 64 ready notify per peer free credit per peer }
  rounds epoch
}
"""


def exchange(**parts: object) -> str:
    return EXCHANGE.format(**{"ranks": 8, "s": 65536, "d": 4096, "dtype": "bf16", "more": "", **parts})


def flagged(**parts: object) -> str:
    return FLAGGED.format(**{"tile": 480, "options": "", "ready": "notify per peer", **parts})


SPECS = {
    "A306 flags": exchange() + flagged(ready="flag"),
    "A306 flags, odd rows": exchange(d=4801) + flagged(ready="flag"),
    "A306 flags, short rows": exchange(s=2**30, d=7) + flagged(ready="flag", tile=240),
    "A306 flags of f32": exchange(dtype="f32") + flagged(ready="flag", tile=120),
    "A306 queues": exchange(s=2**24) + flagged(options="(qps 3)"),
    "A306 where": exchange(more="where D * S * S <= 2**44") + flagged(ready="flag"),
    "A306 short ranges": exchange(s=2**21, d=240).replace("dim   S in 1", "dim   S in 1048576") + flagged(ready="flag"),
    "A215 many ranks": exchange(ranks=65535, s=2**31 - 1, d=2**31 - 1, dtype="i64") + DIRECT,
    "A215 few ranks": exchange(ranks=2, s=2**31 - 1, d=2**31 - 1, dtype="f32") + DIRECT,
}


def cases() -> dict[str, tuple[Source, Finding, str, str]]:
    sources = {stem: findings_of(fixture(stem)) for stem in stems()}
    for name, text in SPECS.items():
        source = Source(f"{name}.a2a", text)
        sources[name] = (source, check(source).findings)
    found = {}
    for name, (source, findings) in sources.items():
        for n, finding in enumerate(findings):
            for text, spec in followed(source, finding):
                found[f"{name} {n} {text}"] = (source, finding, text, spec)
    return found


CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_a_number_that_is_followed(name):
    source, finding, text, spec = CASES[name]
    left = told("followed.a2a", spec, finding.code)
    assert len(left) < len(told(source.path, source.text, finding.code)), (text, left)


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_is_refused_and_offers_a_number(name):
    code = name[:4]
    assert told("spec.a2a", SPECS[name], code)
    if name != "A306 short ranges":
        assert any(case.startswith(name) and CASES[case][1].code == code for case in CASES)


def test_numbers_of_random_specs():
    """Each help of each finding of specs that were changed at random."""
    wrong, codes = [], set()
    for seed in range(SEEDS):
        source = Source(f"{seed}.a2a", changed(seed).text())
        for finding in check(source).findings:
            for text, spec in followed(source, finding):
                codes.add(finding.code)
                if len(told("f.a2a", spec, finding.code)) >= len(told("s.a2a", source.text, finding.code)):
                    wrong.append(f"{seed} {finding.code} {text}: {finding.message}")
    assert not wrong
    assert len(codes) >= 5, codes


def test_rules_that_offer_numbers():
    """A rule that stops offering one is noticed, and one that is followed by nobody here."""
    codes = {finding.code for _, finding, _, _ in CASES.values()}
    assert codes >= {"A107", "A209", "A210", "A215", "A306", "A307", "A310", "A311", "A401", "A403", "A404", "A405"}
    assert codes >= {"A503", "A506", "A508", "A511", "A615", "A706"}
