"""Draws the results of `benchmarks/nvidia.py` as SVG, and prints them as a table in Markdown.

    python benchmarks/nvidia_plot.py [RESULTS.json] [--svg FILE]

By default those that are checked in: `benchmarks/results/nvidia-2xh200.json`, drawn beside it. After a new run:

    python benchmarks/nvidia.py --out /tmp/new && cp /tmp/new/nvidia.json benchmarks/results/nvidia-2xh200.json
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "nvidia-2xh200.json"
EXCHANGES = {"combine": "Reverse all-to-all", "dispatch": "Forward all-to-all"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 420, 300, 62, 64, 84


@dataclass(frozen=True, slots=True)
class Line:
    """What is drawn: its key in the results, its name, and how it looks."""

    key: str
    name: str
    style: str


LINES = (
    Line("nccl", "all_to_all_single + permute", "stroke:#8c959f"),
    Line("direct", "direct (ldst)", "stroke:#0969da"),
    Line("copy_engine", "copy_engine (ce)", "stroke:#1a7f37"),
    Line("auto", "auto", "stroke:#bc4c00"),
    Line("limit", "copy engine alone", "stroke:#24292f;stroke-dasharray:4 3"),
)


def points(results: dict[str, Any], exchange: str, key: str) -> list[tuple[int, float, int]]:
    """(bytes a rank, microseconds in a graph, bytes to peers) at rows of 8 KiB, by size."""
    found = []
    for name, item in results.items():
        if name.startswith(f"times {exchange} ") and item.get("row") == 8192 and item.get(key, {}).get("graph"):
            found.append((item["bytes"], item[key]["graph"][0], item["remote"]))
    return sorted(found)


def svg(document: dict[str, Any]) -> str:
    """GB/s to the peers against bytes a rank, a panel for each exchange."""
    panels = [(name, title) for name, title in EXCHANGES.items() if points(document["results"], name, "nccl")]
    width, height = LEFT + len(panels) * (WIDTH + GAP), TOP + HEIGHT + 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="title" font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f'<title id="title">{escape(where(document))}</title>',
        "<style>path{fill:none;stroke-width:2}.axis{stroke:#d0d7de;stroke-width:1}</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    used = [line for line in LINES if any(points(document["results"], name, line.key) for name, _ in panels)]
    for n, line in enumerate(used):
        x = LEFT + n * 190
        parts.append(f'<path style="{line.style}" d="M{x} 18h24"/><text x="{x + 30}" y="22">{escape(line.name)}</text>')
    for n, (name, title) in enumerate(panels):
        parts.append(f'<g transform="translate({LEFT + n * (WIDTH + GAP)} {TOP})">')
        parts += _panel(document["results"], name, title, used)
        parts.append("</g>")
    parts.append(f'<text x="{LEFT}" y="{height - 8}" fill="#57606a">{escape(where(document))}</text></svg>')
    return "\n".join(parts) + "\n"


def _panel(results: dict[str, Any], exchange: str, title: str, lines: list[Line]) -> Iterator[str]:
    drawn = {line: points(results, exchange, line.key) for line in lines}
    sizes = [size for found in drawn.values() for size, _, _ in found]
    rates = [remote / us / 1e3 for found in drawn.values() for _, us, remote in found]
    low, high, top = math.log2(min(sizes)), math.log2(max(sizes)), 50 * math.ceil(max(rates) / 50)

    def place(size: int, rate: float) -> tuple[float, float]:
        x = WIDTH * (math.log2(size) - low) / max(high - low, 1)
        return round(x, 1), round(HEIGHT * (1 - rate / top), 1)

    about = f"{escape(title)}: GB/s to the peer, by bytes a rank (rows of 8 KiB, graph)"
    yield f'<text y="-14" font-weight="bold">{about}</text>'
    for rate in range(0, top + 1, 50):
        y = place(sizes[0], rate)[1]
        yield f'<path class="axis" d="M0 {y}h{WIDTH}"/><text x="-8" y="{y + 4}" text-anchor="end">{rate}</text>'
    for power in range(round(low), round(high) + 1, 2):
        x = place(1 << power, 0)[0]
        yield f'<text x="{x}" y="{HEIGHT + 18}" text-anchor="middle">{label(1 << power)}</text>'
    for line, found in drawn.items():
        steps = [place(size, remote / us / 1e3) for size, us, remote in found]
        if steps:
            yield f'<path style="{line.style}" d="M{" L".join(f"{x} {y}" for x, y in steps)}"/>'


def table(document: dict[str, Any]) -> str:
    """Microseconds of a call in a graph, ratios to the baseline, and the part of the copy engine's rate."""
    results = document["results"]
    lines = []
    for exchange, title in EXCHANGES.items():
        columns = {line: {p[0]: p[1] for p in points(results, exchange, line.key)} for line in LINES}
        ours = [line for line in LINES if line.key not in ("nccl", "limit") and columns[line]]
        shown = [LINES[0], *ours, LINES[-1]]
        head = ["bytes a rank", *(line.name for line in shown), "best, times faster", "best, of the copy engine"]
        lines += [f"{title}, µs of a call in a graph, median:", "", _row(head), _row(["---"] * len(head))]
        for size, baseline in columns[LINES[0]].items():
            times = [columns[line].get(size, math.nan) for line in shown]
            best = min(columns[line][size] for line in ours)
            share = columns[LINES[-1]][size] / best
            lines.append(_row([label(size), *(f"{t:.1f}" for t in times), f"{baseline / best:.2f}", f"{share:.2f}"]))
        lines.append("")
    return "\n".join(lines)


def where(document: dict[str, Any]) -> str:
    """What the results were measured on."""
    found = document["environment"]
    devices = f"{len(found['devices'])} x {found['devices'][0]}"
    return f"{devices}, torch {found['torch']}, Triton {found['triton']}, NCCL {found['nccl']}"


def label(nbytes: int) -> str:
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if nbytes >= 1 << shift:
            return f"{nbytes >> shift} {unit}"
    return f"{nbytes} B"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="?", default=RESULTS)
    parser.add_argument("--svg", type=Path, help="where the drawing goes; beside the results by default")
    options = parser.parse_args()
    document = json.loads(options.results.read_text(encoding="utf-8"))
    (options.svg or options.results.with_suffix(".svg")).write_text(svg(document), encoding="utf-8")
    print(table(document), end="")


if __name__ == "__main__":
    main()
