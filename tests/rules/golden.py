"""The findings of the rules' fixtures as text, and the files that hold what is expected.

Every rule `a2agen/passes/rules/<stem>.py` has

    fixtures/<stem>.a2a            a spec that breaks it,
    fixtures/<stem>.txt            the exact findings of that spec,
    fixtures/clean/<stem>*.a2a     near misses, one or more, without a finding.

`python tests/rules/golden.py --update [STEM…]` writes the `.txt` files anew, of all rules or of those named. It
fails where a rule has no fixture or near miss, and where a fixture does not make its rule speak. Read what it
wrote before you commit it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from a2agen.findings import Finding, Severity
from a2agen.passes.check import check
from a2agen.passes.rules import registry
from a2agen.source import Source

PROJECT = Path(__file__).parents[2]
FIXTURES = Path(__file__).parent / "fixtures"
RULES = Path(registry.__file__).parent


# Reported by the back ends when they are asked for a kernel, not by the checks of a spec.
_OF_BACK_ENDS = {"a399_not_emitted_yet"}


def rule_files() -> list[Path]:
    return sorted(RULES.glob("a[0-9][0-9][0-9]_*.py"))


def stems() -> list[str]:
    """The names of the files of all rules that the checks of a spec report."""
    return sorted({path.stem for path in rule_files()} - _OF_BACK_ENDS)


def code_of(stem: str) -> str:
    return stem[:4].upper()


def fixture(stem: str) -> Path:
    return FIXTURES / f"{stem}.a2a"


def golden(stem: str) -> Path:
    return FIXTURES / f"{stem}.txt"


def near_misses(stem: str) -> list[Path]:
    return sorted((FIXTURES / "clean").glob(f"{stem}*.a2a"))


def _shown(path: Path) -> Path:
    """A path as one types it in the project's folder, wherever that is."""
    return path.relative_to(PROJECT)


def findings_of(path: Path) -> tuple[Source, tuple[Finding, ...]]:
    source = Source(path.name, path.read_text(encoding="utf-8"))
    return source, tuple(check(source).findings)


def rendered(path: Path) -> str:
    """The findings of a spec: code, severity, place and the words there; then the message and the way out.

    Advice is left out where it is not what the spec is about.
    """
    source, findings = findings_of(path)
    blocks = []
    for f in findings:
        if f.severity is Severity.ADVICE and not path.stem.startswith("a7"):
            continue
        line = source.line(f.span.line)
        end = f.span.end_column - 1 if f.span.end_line == f.span.line else len(line)
        words = line[f.span.column - 1 : end]
        place = f"{f.span.line}:{f.span.column}-{f.span.end_line}:{f.span.end_column}"
        text = f"{f.code} {f.severity.value} {place} | {words}\n  {f.message}\n"
        blocks.append(text + (f"  help: {f.help}\n" if f.help else ""))
    return "\n".join(blocks)


def faults(stem: str) -> list[str]:
    """What is wrong with a rule's files, apart from the text of the findings."""
    code = code_of(stem)
    if not fixture(stem).is_file():
        return [f"{_shown(fixture(stem))} is missing: a spec that breaks {code}"]
    found = []
    if code not in {f.code for f in findings_of(fixture(stem))[1]}:
        found.append(f"{_shown(fixture(stem))} does not make {code} speak")
    if not near_misses(stem):
        found.append(f"{_shown(FIXTURES / 'clean' / stem)}*.a2a is missing: a spec that {code} must let pass")
    for path in near_misses(stem):
        loud = [f for f in findings_of(path)[1] if f.severity is not Severity.ADVICE or f.code == code]
        if loud:
            found.append(f"{_shown(path)} is not clean: {loud[0].code} {loud[0].message}")
    return found


def strays() -> list[Path]:
    """Files among the fixtures that belong to no rule."""
    expected = {path for stem in stems() for path in (fixture(stem), golden(stem), *near_misses(stem))}
    return sorted(path for path in FIXTURES.rglob("*") if path.is_file() and path not in expected)


def main() -> int:
    parser = argparse.ArgumentParser(description="Check or update the expected findings of the rules' fixtures.")
    parser.add_argument("--update", action="store_true", help="write the expected findings anew")
    parser.add_argument("stems", nargs="*", metavar="STEM", help="rules, by the names of their files; default all")
    options = parser.parse_args()
    failed = False
    for stem in options.stems or stems():
        found = faults(stem)
        if fixture(stem).is_file():
            text = rendered(fixture(stem))
            old = golden(stem).read_text(encoding="utf-8") if golden(stem).is_file() else None
            if old != text and options.update:
                golden(stem).write_text(text, encoding="utf-8")
                print(f"{_shown(golden(stem))} written")
            elif old != text:
                found.append(f"{_shown(golden(stem))} differs")
        for fault in found:
            failed = True
            print(fault, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
