"""The figures of docs/nvidia.md are those of the results, and say what the results say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.nvidia_plot import EXCHANGES, RESULTS, points, table

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/nvidia.md").read_text(encoding="utf-8")
WORDS = " ".join(TEXT.split())
DOCUMENT = json.loads(RESULTS.read_text(encoding="utf-8"))
FOUND: dict[str, Any] = DOCUMENT["results"]
KIB, MIB, GIB = 2**10, 2**20, 2**30


def tables(text: str) -> list[str]:
    """The lines of a text that are rows of tables of times, with the line that names each."""
    rows = [line for line in text.splitlines() if re.match(r"\| (bytes a rank|---|\d+ [KMG]iB) ?\|", line)]
    return [row for row in rows if row.count("|") == 9]


def medians(exchange: str, key: str) -> dict[int, float]:
    """Microseconds by bytes a rank, rows of 8 KiB."""
    return {point[0]: point[1] for point in points(FOUND, exchange, key)}


def faster(exchange: str) -> dict[int, float]:
    nccl, direct, engine = (medians(exchange, key) for key in ("nccl", "direct", "copy_engine"))
    return {n: nccl[n] / min(direct[n], engine[n]) for n in nccl}


def ours(key: str, way: str) -> float:
    return float(FOUND[key][way]["graph"][0])


def test_the_tables_are_those_of_the_results():
    assert len(tables(TEXT)) == 2 * 17
    assert tables(TEXT) == tables(table(DOCUMENT))


def test_another_figure_would_show():
    assert tables(TEXT.replace("| 416.4 |", "| 416.7 |")) != tables(table(DOCUMENT))


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_every_size_was_measured(exchange):
    assert sorted(faster(exchange)) == [2**n for n in range(16, 31)]


def test_against_nccl():
    both = [faster(exchange) for exchange in EXCHANGES]
    least = min(f for times in both for n, f in times.items() if n >= MIB)
    assert f"at least {least:.2f} times faster at every power of two from 1 MiB to 1 GiB" in WORDS
    small = min(times[n] for times in both for n in (64 * KIB, 256 * KIB))
    assert f"at least {small:.2f} times at 64 KiB and 256 KiB" in WORDS


def test_against_vdev():
    ratio = {key: ours(key, "vdev") / ours(key, "nccl") for key in FOUND if key.startswith("vdev ")}
    assert len(ratio) == 16
    assert all(abs(x - 1) < 0.025 for key, x in ratio.items() if " 16M " in key)
    assert all(x > 1.02 for key, x in ratio.items() if " 16M " not in key)


def test_link_auto():
    links = set()
    times = {key: found for key, found in FOUND.items() if key.startswith("times ")}
    assert len(times) == 36
    for key, found in times.items():
        best = min(ours(key, way) for way in ("direct", "copy_engine"))
        assert ours(key, "auto") <= max(best * 1.05, best + 0.5), key
        links.add(found["auto"]["link"])
    assert links == {"ldst", "ce"}
    least = min(ours(key, "nccl") / ours(key, "auto") for key in times)
    assert f"at all 36 points, and at least {least:.2f} times faster than NCCL and permute" in WORDS


def test_by_hand():
    slower: dict[int, float] = {}
    relaxed: dict[int, float] = {}
    sizes = (("64K", 64 * KIB), ("256K", 256 * KIB), ("1M", MIB), ("4M", 4 * MIB), ("16M", 16 * MIB), ("64M", 64 * MIB))
    for size, nbytes in (*sizes, ("256M", 256 * MIB), ("1024M", GIB)):
        key = f"handwritten {size} rows 8K"
        same = min(ours(key, way) for way in ("by hand", "by hand, early"))
        slower[nbytes] = ours(key, "emitted") / same - 1
        relaxed[nbytes] = ours(key, "emitted") / ours(key, "by hand, early, relaxed") - 1
    assert f"at most {max(slower.values()):.1%}".replace("%", " %") in WORDS
    assert max(slower.values()) <= 0.03
    assert max(relaxed[n] for n in relaxed if n < 16 * MIB) <= 0.10


def test_puts():
    times = {
        size: (ours(f"put combine {size} rows 8K", "put"), ours(f"put combine {size} rows 8K", "direct"))
        for size in ("1M", "16M")
    }
    small, large = times["1M"], times["16M"]
    assert f"{small[0]:.0f} µs at 1 MiB and {large[0]:.0f} µs at 16 MiB" in WORDS
    # `direct` in the same processes varies a little from its own item.
    assert "takes 7 and 31" in WORDS
    assert abs(small[1] - 7) < 1
    assert abs(large[1] - 31) < 1.5
    right = [found for key, found in FOUND.items() if key.startswith("put ") and "launches" in found]
    assert all(found["verified"] for found in right)
    assert [found["launches"] for found in right].count(1000) == 2


def test_the_copy_engine():
    rates = {
        exchange: {n: medians(exchange, "limit")[n] / us for n, us in medians(exchange, "copy_engine").items()}
        for exchange in ("combine", "dispatch")
    }
    reverse, forward = rates["combine"], rates["dispatch"]
    assert f"{reverse[256 * MIB]:.3f} and {forward[256 * MIB]:.3f} of its own rate at 256 MiB" in WORDS
    assert f"{reverse[512 * MIB]:.3f} and {forward[512 * MIB]:.3f} at 512 MiB" in WORDS
    assert f"{reverse[GIB]:.3f} and {forward[GIB]:.3f} at 1 GiB (reverse and forward)" in WORDS


def test_beyond_the_copies():
    extra: dict[int, list[float]] = {}
    for exchange in ("combine", "dispatch"):
        for n, us in medians(exchange, "copy_engine").items():
            extra.setdefault(n, []).append(us - medians(exchange, "limit")[n])
    ranges = [[x for n, found in extra.items() if low <= n <= high for x in found] for low, high in _PARTS]
    texts = [f"{min(found):.0f} to {max(found):.0f}" for found in ranges]
    assert f"is {texts[0]} µs up to 256 MiB, {texts[1]} µs at 512 MiB and {texts[2]} µs at 1 GiB" in WORDS


_PARTS = ((64 * KIB, 256 * MIB), (512 * MIB, 512 * MIB), (GIB, GIB))


def test_calls_and_staging():
    overhead = FOUND["overhead"]
    assert f"{overhead['direct']:.0f} µs with `direct` and {overhead['copy_engine']:.0f} µs with `copy_engine`" in WORDS
    by = {way: [ours(f"staged {size} rows 8K", way) for size in ("16M", "256M")] for way in ("staged", "pipelined")}
    direct = [medians("combine", "direct")[n] for n in (16 * MIB, 256 * MIB)]
    blocks = f"{by['staged'][0]:.0f} µs at 16 MiB and {by['staged'][1]:.0f} µs at 256 MiB by blocks"
    tiles = f"{by['pipelined'][0]:.0f} and {by['pipelined'][1]:.0f} µs by tiles"
    assert f"{blocks}, {tiles}, where `direct` takes {direct[0]:.0f} and {direct[1]:.0f}" in WORDS


def test_a_thousand_launches():
    thousand = {key: found for key, found in FOUND.items() if key.startswith("thousand ")}
    assert all(found["verified"] and found["launches"] == 1000 for found in thousand.values())
    assert len(thousand) == 8
    assert "for each of eight schedules" in WORDS
    ranks = sorted({int(key.split()[-1]) for key in FOUND if key.startswith("threads ")})
    assert f"{ranks[0]}, {ranks[1]} and {ranks[2]} ranks on two GPUs are right" in WORDS
    assert all(FOUND[key]["verified"] for key in FOUND if key.startswith("threads "))


def test_the_machine():
    machine = DOCUMENT["environment"]
    for name, text in (("torch", "torch {}"), ("triton", "Triton {}"), ("nccl", "NCCL {}")):
        assert text.format(machine[name].split("+")[0]) in WORDS, name
    assert len(machine["devices"]) == 2


@pytest.mark.parametrize(
    ("folder", "quote"), re.findall(r"^```python (\S+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
)
def test_kernels_hold_what_is_quoted_of_them(folder, quote):
    kernel = [line.strip() for line in (ROOT / "generated" / folder / "kernel.py").read_text().splitlines()]
    quoted = quote.splitlines()
    starts = [n for n in range(len(kernel)) if kernel[n : n + len(quoted)] == quoted]
    assert len(starts) == 1
