"""The results of the sweeps in words: a page of Markdown from the rows of their ranges."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.fuzz.switched_off import CLAUSES, LIMITS

Rows = list[dict[str, Any]]


def summary(rows: dict[Any, Rows]) -> str:
    """The page; of a sweep without rows nothing is said."""
    parts = [
        "# Sweeps over random specs",
        "Written by `python benchmarks/sweep.py` from the rows of `sweep_*.json` in this folder.",
    ]
    for kind, said in (("sound", _sound), ("broken", _broken), ("refused", _refused)):
        if rows[kind]:
            parts += [f"## {kind.capitalize()}", said(rows[kind]), _cost(rows[kind])]
    return "\n\n".join(parts) + "\n"


def _total(rows: Rows, name: str) -> int:
    return sum(row.get(name, 0) for row in rows)


def _codes(rows: Rows) -> str:
    codes: Counter[str] = sum((Counter(row.get("codes", {})) for row in rows), Counter())
    return ", ".join(f"{code} {n}" for code, n in sorted(codes.items())) or "none"


def _faults(rows: Rows) -> int:
    return sum(len(row.get("faults", [])) for row in rows)


def _listed(rows: Rows) -> str:
    """What was at fault, on one line each; empty where nothing was."""
    faults = [f"- {' '.join(fault.split())[:200]}" for row in rows for fault in row.get("faults", [])]
    return "\n\n" + "\n".join(faults) if faults else ""


def _sound(rows: Rows) -> str:
    count, clean = _total(rows, "count"), _total(rows, "clean")
    lines = [
        "| | |",
        "| --- | --- |",
        f"| specs | {count} |",
        f"| lint has nothing against | {clean} |",
        f"| refused, each with well-formed findings | {count - clean} |",
        f"| schedules emitted | {_total(rows, 'emitted')} |",
        f"| checked, not emitted yet (A399) | {_total(rows, 'not_emitted')} |",
        f"| simulated and right | {_total(rows, 'right')} |",
        f"| in Ascend C, and not built here (one of 8 is) | {_total(rows, 'unbuilt')} |",
        f"| too large to be simulated here | {_total(rows, 'unsimulated')} |",
        f"| **faults: raced, hung, wrong, an exception** | **{_faults(rows)}** |",
    ]
    return "\n".join(lines) + f"\n\nRefused by (a spec may have several): {_codes(rows)}.{_listed(rows)}"


def _broken(rows: Rows) -> str:
    count, clean = _total(rows, "count"), _total(rows, "clean")
    lines = [
        "| | |",
        "| --- | --- |",
        f"| specs | {count} |",
        f"| refused | {count - clean} |",
        f"| sound all the same | {clean} |",
        f"| **faults: an exception, a hang, memory, a finding out of place** | **{_faults(rows)}** |",
    ]
    return "\n".join(lines) + f"\n\nRefused by: {_codes(rows)}.{_listed(rows)}"


def _refused(rows: Rows) -> str:
    trials: dict[str, Counter[str]] = {}
    for row in rows:
        for code, verdicts in row.get("trials", {}).items():
            trials.setdefault(code, Counter()).update(verdicts)
    groups = (
        ("what happens", {code: "" for code in trials if code not in LIMITS | CLAUSES}, ""),
        (
            "clauses without a meaning",
            CLAUSES,
            "The language gives these clauses no meaning where they stand. The kernel is one without the clause, and "
            "what it then does says nothing of the rule.",
        ),
        (
            "limits of machines",
            LIMITS,
            "The simulator has none of these limits, so it can't judge; the kernels are run all the same.",
        ),
    )
    parts = []
    for name, codes, about in groups:
        known = {code: trials[code] for code in sorted(codes) if code in trials}
        lines = [f"### Rules about {name}", *([about] if about else [])]
        table = ["| rule | refused alone | run | misbehaved | | not run |", "| --- | --- | --- | --- | --- | --- |"]
        table += [_row(code, verdicts) for code, verdicts in known.items()]
        table.append(_row("all", sum(known.values(), Counter())))
        why = [f"- {code}: {reason}" for code, reason in codes.items() if reason and code in known]
        parts += [*lines, "\n".join(table), *(["\n".join(why)] if why else [])]
    total = _row("all rules", sum(trials.values(), Counter()))
    parts += ["### All together", "\n".join([*table[:2], total])]
    harmless = [
        h for row in rows for h in row.get("harmless", []) if " right: " in h and h.split()[2] not in LIMITS | CLAUSES
    ]
    if harmless:
        parts.append("Right without the rule: " + ", ".join(" ".join(h.split()[:3]) for h in harmless) + ".")
    return "\n\n".join(parts)


def _row(name: str, verdicts: Counter[str]) -> str:
    bad, right = verdicts["misbehaves"], verdicts["right"]
    rest = ", ".join(f"{v} {n}" for v, n in sorted(verdicts.items()) if v not in ("misbehaves", "right"))
    share = f"{100 * bad / (bad + right):.1f} %" if bad + right else ""
    return f"| {name} | {verdicts.total()} | {bad + right} | {bad} | {share} | {rest} |"


def _cost(rows: Rows) -> str:
    slowest = max(rows, key=lambda row: row.get("slowest", 0))
    commits = ", ".join(dict.fromkeys(row["commit"] for row in rows))
    return (
        f"Seeds {min(r['seed'] for r in rows)} to {max(r['seed'] + r['count'] for r in rows) - 1}; "
        f"{sum(r['seconds'] for r in rows):.0f} s of processor time; slowest {slowest.get('slowest', 0)} s "
        f"(seed {slowest.get('slowest_seed', 0)}); most memory of a process {max(r['peak_mib'] for r in rows)} MiB; "
        f"at {commits}."
    )
