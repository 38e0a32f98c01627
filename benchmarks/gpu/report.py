"""The results of a run as one JSON file and a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Record = dict[str, Any]
SEVERAL = ("tune", "handwritten", "staged", "launch", "copying", "shares", "vdev", "put", "one-gpu")
"""How the names of items begin that measure several ways at once."""


def report(records: list[Record], out: Path, missing: list[str]) -> str:
    """Write `nvidia.json`, and give the table: microseconds of a call, ratios to NCCL and to the copy engine."""
    results = {r["item"]: r.get("result", {"error": r.get("error")}) for r in records}
    document = {"environment": results.pop("environment", None), "results": results, "not run": missing}
    (out / "nvidia.json").write_text(json.dumps(document, indent=1) + "\n")
    checks = [(name, r) for name, r in results.items() if "verified" in r]
    lines = [f"{name}: {'right' if r['verified'] else f'WRONG {r}'}" for name, r in checks]
    lines += [f"{name}: {r['error']}" for name, r in results.items() if r.get("error")]
    lines += ["", "graph: us of a call (median), x of nccl + permute, part of the copy-engine rate", _head()]
    lines += [_row(name, r) for name, r in results.items() if name.startswith("times") and "nccl" in r]
    for name, r in results.items():
        if name.startswith(SEVERAL) and not r.get("error"):
            cells = {k: v["graph"][0] for k, v in r.items() if isinstance(v, dict) and "graph" in v}
            wrong = [k for k, v in r.items() if isinstance(v, dict) and v.get("verified") is False]
            if not cells and not wrong:
                continue
            best = sorted(cells.items(), key=lambda item: item[1])
            said = ", ".join(f"{k}: {v}" for k, v in best) + _against(cells)
            lines.append(f"{name}: {said}" + (f" WRONG {wrong}" if wrong else ""))
    lines += [f"{name}: {r}" for name, r in results.items() if name in ("overhead", "traced")]
    if missing:
        lines.append(f"not run: {', '.join(missing)}")
    return "\n".join(lines)


def _against(cells: dict[str, float]) -> str:
    """How the emitted kernel compares with the best by hand, where there is one by hand."""
    hands = [time for name, time in cells.items() if name.startswith("by hand")]
    return f"; emitted {cells['emitted'] / min(hands):.3f} of the best by hand" if hands and "emitted" in cells else ""


def _head() -> str:
    graph = "".join(f"{name:>9}" for name in ("nccl", "alone", "direct", "ce", "auto", "limit"))
    return f"{'':34}{graph}{'auto x':>8}{'best x':>8}{'of ce':>7}{'eager: nccl':>13}{'direct':>9}{'ce':>9}"


def _row(name: str, r: Record) -> str:
    columns = ("nccl", "nccl alone", "direct", "copy_engine", "auto", "limit")
    graph = {k: r[k].get("graph", [float("nan")])[0] for k in columns}
    eager = {k: r[k].get("eager", [float("nan")])[0] for k in ("nccl", "direct", "copy_engine")}
    best = min(graph["direct"], graph["copy_engine"])
    cells = "".join(f"{value:9.2f}" for value in graph.values())
    tail = f"{eager['nccl']:13.1f}{eager['direct']:9.1f}{eager['copy_engine']:9.1f}"
    right = "" if all(r[k]["verified"] for k in ("nccl", "direct", "copy_engine", "auto")) else "  WRONG"
    ratios = f"{graph['nccl'] / graph['auto']:8.2f}{graph['nccl'] / best:8.2f}{graph['limit'] / best:7.2f}"
    return f"{name:34}{cells}{ratios}{tail}{right}"
