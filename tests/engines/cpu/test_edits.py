"""Generated kernels edited as engineers edit them: in order, loops, names and helpers. What stays sound is verified,
and the same edit gone wrong is found."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import Outcome, search
from a2agen.engines.setups import Setup
from a2agen.passes.check import check
from a2agen.source import Source

SPECS = Path(__file__).parents[3] / "specs"
SETUPS = (Setup({"W": 3, "S": 21, "H": 2, "D": 300}, 4), Setup({"W": 2, "S": 5, "H": 1, "D": 260}, 8))
Edit = Callable[[str], str]


@cache
def generated(schedule: str) -> Program:
    """What a schedule of the reverse exchange compiles to."""
    path = SPECS / "reverse_all2all.a2a"
    checked = check(Source(path.name, path.read_text(encoding="utf-8")))
    found = next(s for s in checked.schedules if s.name == schedule)
    return program_of(checked, found)


def run(schedule: str, edit: Edit) -> Outcome:
    """Three blocks, the last with a tail, and tails in tiles; a shape with more cores than tasks."""
    program = generated(schedule)
    kernel = edit(program.kernel)
    assert kernel != program.kernel
    edited = Program(kernel, "edited.py", program.launcher, program.launcher_path, program.exchange, program.axes)
    return search(edited, SETUPS, interleavings=4)


def replaced(*pairs: tuple[str, str], count: int = -1) -> Edit:
    """Each text for the other, which has to be there."""

    def edit(text: str) -> str:
        for old, new in pairs:
            assert old in text, old
            text = text.replace(old, new, count)
        return text

    return edit


def renamed(*pairs: tuple[str, str]) -> Edit:
    """Names for others, wherever they stand as names of their own."""

    def edit(text: str) -> str:
        for old, new in pairs:
            assert re.search(rf"\b{old}\b", text), old
            text = re.sub(rf"\b{old}\b", new, text)
        return text

    return edit


HEAD = "            for task in range(lane, H * tiles_d * W, lanes):\n"


def two_at_a_time(made: Callable[[list[str], list[str]], list[str]]) -> Edit:
    """The sender's tasks two at a time: `made` of the bodies of the first and the second makes what stands between the
    head and the end of the loop."""

    def edit(text: str) -> str:
        before, found, after = text.partition(HEAD)
        assert found
        lines = after.split("\n")
        end = next(n for n, line in enumerate(lines) if line and not line.startswith(" " * 16))
        one, two = (_of_its_own(lines[:end], name) for name in ("one", "two"))
        head = "            for one in range(lane, H * tiles_d * W, 2 * lanes):"
        return before + "\n".join([head, *made(one, two), *lines[end:]])

    return edit


def _of_its_own(body: list[str], name: str) -> list[str]:
    """A body with a task, a word and a peer of its own."""
    text = re.sub(r"\b(word|to)\b", rf"{name}_\1", "\n".join(body))
    return re.sub(r"\btask\b", name, text).split("\n")


SECOND = "                two = one + lanes"
GUARD = "                if two < H * tiles_d * W:"


def guarded(lines: list[str]) -> list[str]:
    return [GUARD, *("    " + line for line in lines)]


def unrolled(one: list[str], two: list[str]) -> list[str]:
    return [*one, SECOND, *guarded(two)]


def unrolled_past_the_end(one: list[str], two: list[str]) -> list[str]:
    return [*one, SECOND, *two]


def announced_together(one: list[str], two: list[str]) -> list[str]:
    """One fence for two tiles. A body ends with its fence and its notify."""
    return [*one[:-2], SECOND, *guarded(two[:-2]), *one[-2:], *guarded(two[-1:])]


def announced_too_early(one: list[str], two: list[str]) -> list[str]:
    return [*one[:-2], SECOND, one[-2], *guarded(two[:-2]), one[-1], *guarded(two[-1:])]


NESTED = """\
            for h in range(H):
                for d_tile in range(tiles_d):
                    for to in range((lane + h + d_tile) % lanes, W, lanes):
"""
FLAT = """\
            for task in range(lane, H * tiles_d * W, lanes):
                to = task % W
                d_tile = task // W % tiles_d
                h = task // W // tiles_d
"""


def nested(*, whole: bool) -> Edit:
    """Loops over axes in place of one over tasks; not `whole`: each core takes every second of its own."""

    def edit(text: str) -> str:
        before, found, after = text.partition(FLAT)
        assert found
        lines = after.split("\n")
        inner = next(n for n, line in enumerate(lines) if line and not line.startswith(" " * 16))
        body = ["        " + line for line in lines[:inner]]
        head = NESTED if whole else NESTED.replace("W, lanes)", "W, 2 * lanes)")
        return before + head + "\n".join([*body, *lines[inner:]])

    return edit


HELPER = '''@triton.jit
def copy_tile(source, target, mask):
    """One tile from one place to another."""
    tl.store(target, tl.load(source, mask=mask), mask=mask)


@triton.jit(do_not_specialize'''
COPY = re.compile(r"( +)tile = tl\.load\((.*), mask=mask\)\n +tl\.store\((.*), tile, mask=mask\)\n")


def with_helper(text: str) -> str:
    """The copies of tiles by a function of their own."""
    text, count = COPY.subn(r"\1copy_tile(\2, \3, mask)\n", text)
    assert count == 2
    return text.replace("@triton.jit(do_not_specialize", HELPER, 1)


def order(first: str, second: str, third: str) -> Edit:
    """Another order of a task's axes in both loops, the fastest first."""
    extents = {"{0}": "W", "d_tile": "tiles_d", "h": "H"}
    lines = (
        f"{first} = task % {extents[first]}\n                "
        f"{second} = task // {extents[first]} % {extents[second]}\n                "
        f"{third} = task // {extents[first]} // {extents[second]}\n"
    )
    old = "{0} = task % W\n                d_tile = task // W % tiles_d\n                h = task // W // tiles_d\n"
    return replaced(*((old.replace("{0}", peer), lines.replace("{0}", peer)) for peer in ("to", "src")))


SENT = re.compile(r"( +)tile = tl\.load\((A_tile .*), mask=mask\)\n +tl\.store\((P_tile .*), tile, mask=mask\)\n")
PARTS = """\
for part in tl.static_range({parts}):
    rows = part * (TILE_S // 2) + tl.arange(0, TILE_S // 2)
    kept = (s0 + rows < S)[:, None] & (d0 + offs_d < D)[None, :]
    half = tl.load({source}, mask=kept)
    tl.store({target}, half, mask=kept)
"""


def other_peers_first(text: str) -> str:
    """The tasks of the direct kernel go to the peers the other way round."""
    before, found, after = text.partition("    for task in range(")
    assert found
    return before + found + replaced(("to = (rank + i) % W", "to = (rank + W - 1 - i) % W"), count=1)(after)


def in_parts(parts: int) -> Edit:
    """What is sent in two halves of a tile, or only the first of them."""

    def edit(text: str) -> str:
        found = SENT.search(text)
        assert found is not None
        places = {"source": found[2].replace("offs_s", "rows"), "target": found[3].replace("offs_s", "rows")}
        lines = PARTS.format(parts=parts, **places).splitlines()
        return text.replace(found[0], "".join(f"{found[1]}{line}\n" for line in lines), 1)

    return edit


@dataclass(frozen=True)
class Case:
    """An edit of a schedule's kernel, and the same with a slip, which must be found as one of `kinds`."""

    schedule: str
    edit: Edit
    slip: Edit
    kinds: set[str]


CASES = {
    "tile order": Case(
        "mte_pipelined",
        order("h", "d_tile", "{0}"),
        lambda text: order("h", "d_tile", "{0}")(text).replace("to = task // H // tiles_d", "to = task // H % W"),
        {"deadlock", "wrong-output", "race", "lost-signal"},
    ),
    "tile order of one role": Case(
        "mte_pipelined",
        replaced(("src = task % W\n", "src = (task + rank) % W\n")),
        replaced(("src = task % W\n", "src = (task + lane) % W\n")),
        {"deadlock", "wrong-output", "race", "lost-signal"},
    ),
    "loop order": Case("mte_pipelined", nested(whole=True), nested(whole=False), {"deadlock"}),
    "unrolled": Case(
        "mte_pipelined",
        two_at_a_time(unrolled),
        two_at_a_time(unrolled_past_the_end),
        {"out-of-bounds", "deadlock"},
    ),
    "options of a loop": Case(
        "mte_pipelined",
        replaced(("in range(lane, H * tiles_d * W, lanes)", "in tl.range(lane, H * tiles_d * W, lanes, num_stages=2)")),
        replaced(("in range(lane, H * tiles_d * W, lanes)", "in tl.range(lane, H * tiles_d * W - 1, lanes)"), count=1),
        {"deadlock"},
    ),
    "static_range": Case("mte_pipelined", in_parts(2), in_parts(1), {"uninitialised", "wrong-output", "race"}),
    "names": Case(
        "mte_pipelined",
        renamed(("task", "job"), ("emptied", "free"), ("A_tile", "rows"), ("send_full", "mail"), ("d_tile", "column")),
        replaced(("dl.notify(send_full + word, rank", "dl.notify(send_full + task, rank")),
        {"deadlock", "wrong-output", "race", "lost-signal", "out-of-bounds", "unused-token"},
    ),
    "hoisted": Case(
        "mte_pipelined",
        replaced(
            (
                "            for task in range(lane",
                "            rows = s0 + offs_s < S\n            for task in range(lane",
            ),
            ("(s0 + offs_s < S)[:, None]", "rows[:, None]"),
        ),
        replaced(
            (
                "        for blk in range(blocks_s):\n",
                "        rows = offs_s < S\n        for blk in range(blocks_s):\n",
            ),
            ("(s0 + offs_s < S)[:, None]", "rows[:, None]"),
        ),
        {"out-of-bounds"},
    ),
    "helper": Case(
        "mte_pipelined",
        with_helper,
        lambda text: with_helper(text).replace("tl.load(source, mask=mask), mask=mask)", "tl.load(source, mask=mask))"),
        {"out-of-bounds", "race", "wrong-output"},
    ),
    "one fence for two tiles": Case(
        "mte_pipelined", two_at_a_time(announced_together), two_at_a_time(announced_too_early), {"race"}
    ),
    "order of peers on a GPU": Case(
        "direct",
        other_peers_first,
        replaced(("waitValue=epoch * cores", "waitValue=epoch * cores - 1")),
        {"deadlock", "race", "wrong-output"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_sound_edit_is_verified(name: str) -> None:
    outcome = run(CASES[name].schedule, CASES[name].edit)
    assert outcome.error is None
    assert outcome.verified, outcome.findings


@pytest.mark.parametrize("name", CASES)
def test_the_same_edit_with_a_slip_is_found(name: str) -> None:
    outcome = run(CASES[name].schedule, CASES[name].slip)
    assert outcome.error is None
    assert {finding.kind for finding in outcome.findings} & CASES[name].kinds, outcome
