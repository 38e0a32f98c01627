"""Tokens of waits: what comes out of `dl.consume_token` carries them, and must reach an operation."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from a2agen.engines.cpu import Outcome
from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.scalars import Behind, Int64, carried
from a2agen.engines.cpu.simulation import search
from a2agen.engines.setups import Setup
from a2agen.engines.small import small_setups
from a2agen.passes.check import check
from a2agen.source import Source
from tests.engines.cpu.mutants import replaced_in
from tests.engines.cpu.small import kinds, line_of, run, small

WAIT = 't = dl.wait(words, 1, "sys", "acquire", waitValue=0)\n'
MINE = "scratch + 32 + pid"

# What becomes of the token `t`: dead ones, and such as reach an operation.
DEAD = {
    "pointer": "x = dl.consume_token(P, t)",
    "pointer moved": "x = dl.consume_token(P, t) + offs",
    "pointer of a peer": "x = dl.symm_at(dl.consume_token(P, t), 1 - rank)",
    "pointer of a consumed peer": "x = dl.symm_at(P, dl.consume_token(rank, t))",
    "pointer overwritten": f"x = dl.consume_token(P, t)\nx = {MINE}\ntl.store(x, 0)",
    "number": "x = dl.consume_token(D, t)",
    "number handed on": f"x = dl.consume_token(D, t)\ny = x\ntl.store({MINE}, D)",
    "number computed with": "x = 2 * dl.consume_token(D, t) + 0",
    "least number": "x = tl.minimum(dl.consume_token(D, t), 3)",
    "number cast": "x = tl.cast(dl.consume_token(D, t), tl.int64)",
    "block of numbers": "x = offs + dl.consume_token(D, t)",
    "sum": "x = dl.consume_token(P, 0 + t)",
    "twice": "x = dl.consume_token(P, t)\ny = dl.consume_token(D, t)",
}
USED = {
    "store": f"tl.store(dl.consume_token({MINE}, t), 0)",
    "store of nothing": "tl.store(dl.consume_token(scratch, t) + offs, 0, mask=offs < 0)",
    "load": f"tl.store({MINE}, 0)\nx = tl.load(dl.consume_token({MINE}, t))",
    "one of two": f"x = dl.consume_token(P, t)\ntl.store(dl.consume_token({MINE}, t), 0)",
    "sum": f"tl.store(dl.consume_token({MINE}, 0 + t), 0)",
    "number stored": f"tl.store({MINE}, dl.consume_token(D, t))",
    "number as offset": f"tl.store({MINE} + dl.consume_token(0, t), 0)",
    "number computed with": f"tl.store({MINE} + 2 * dl.consume_token(0, t), 0)",
    "condition": "if dl.consume_token(D, t) > 3:\n    x = 1",
    "truth": "if dl.consume_token(D, t):\n    x = 1",
    "loop": "for i in range(dl.consume_token(D, t)):\n    x = i",
    "loop of Triton's": "for i in tl.range(dl.consume_token(D, t)):\n    x = i",
    "mask": f"tl.store({MINE}, 0, mask=dl.consume_token(D, t) > 0)",
    "notify": "dl.notify(dl.consume_token(words, t) + 8 + pid * 8, rank, signal=0)",
    "notified number": "dl.notify(words + 8 + pid * 8, rank, signal=dl.consume_token(0, t))",
    "wait": (
        'u = dl.wait(dl.consume_token(words, t), 1, "sys", "acquire", waitValue=0)\n'
        f"tl.store(dl.consume_token({MINE}, u), 0)"
    ),
    "awaited number": (
        'u = dl.wait(words, 1, "sys", "acquire", waitValue=dl.consume_token(0, t))\n'
        f"tl.store(dl.consume_token({MINE}, u), 0)"
    ),
    "put": (
        "if pid == 0:\n"
        "    libshmem_device.putmem(dl.consume_token(P, t) + (1 - rank) * D, A + (1 - rank) * D, D * 2, 1 - rank)\n"
        f"    libshmem_device.quiet()\nelse:\n    tl.store(dl.consume_token({MINE}, t), 0)\n"
        "libshmem_device.barrier_all()"
    ),
    # A block is read already: what becomes of it is not followed.
    "block": "x = dl.consume_token(offs, t)",
    "a core without a turn": f"P_own = dl.consume_token({MINE}, t)\nfor i in range(pid, 1, 3):\n    tl.store(P_own, 0)",
}


@pytest.mark.parametrize(("joined", "said"), [("s |= t", None), ("s *= t", "joined by + or |")])
def test_tokens_are_joined_by_or_too(joined: str, said: str | None) -> None:
    program = small(f"{WAIT}s = 0\n{joined}\ntl.store(dl.consume_token({MINE}, s), 0)")
    outcome = run(program)
    if said is None:
        assert outcome.verified
    else:
        assert said in str(outcome.error)
        assert f":{line_of(program, joined)}: " in str(outcome.error)


@pytest.mark.parametrize("name", DEAD)
def test_a_token_that_reaches_no_operation_is_found(name: str) -> None:
    program = small(WAIT + DEAD[name])
    (finding,) = run(program).findings
    assert (finding.kind, finding.line) == ("unused-token", line_of(program, "t = dl.wait"))
    assert finding.text.startswith("what consumes the token of this wait is never used")


@pytest.mark.parametrize("name", USED)
def test_a_token_that_reaches_an_operation_is_not(name: str) -> None:
    outcome = run(small(WAIT + USED[name]))
    assert kinds(outcome) == set()
    assert outcome.verified


def test_it_is_found_when_no_interleaving_has_used_it() -> None:
    """One shape in which a loop has no turn says nothing of the others."""
    program = small(WAIT + f"mine = dl.consume_token({MINE}, t)\nfor i in range(D - 9):\n    tl.store(mine, i)")
    without, some = Setup({"W": 2, "S": 1, "D": 9}, 3), Setup({"W": 2, "S": 1, "D": 11}, 3)
    assert kinds(search(program, (without,), interleavings=4)) == {"unused-token"}
    assert search(program, (without, some), interleavings=4).verified


def test_many_waits_of_a_launch_are_not_held() -> None:
    many = f"for i in range(600):\n    {WAIT}    tl.store(dl.consume_token({MINE}, t), 0)"
    assert run(small(many), launches=1, interleavings=1).verified
    dead = run(
        small(many.replace(f"tl.store(dl.consume_token({MINE}, t), 0)", "x = dl.consume_token(P, t)")), launches=1
    )
    assert kinds(dead) == {"unused-token"}


PASS_ON = """\
if pid == 0:
    tl.store(scratch, 1)
    libshmem_device.fence()
    dl.notify(words, rank, signal=1, sig_op="set", comm_scope="intra_node")
if pid == 1:
    t = dl.wait(words, 1, "sys", "acquire", waitValue=1)
    {access}
    libshmem_device.fence()
    dl.notify(words, rank, signal=0, sig_op="set", comm_scope="intra_node")
"""


@pytest.mark.parametrize(
    ("access", "found"),
    [
        ("x = tl.load(dl.consume_token(scratch, t))", set()),
        ("x = tl.load(scratch + dl.consume_token(0, t))", set()),
        ("x = tl.load(scratch + dl.consume_token(dl.consume_token(0, t), 0))", set()),
        ("x = tl.load(scratch + (dl.consume_token(1, t) * 2 - 2) // 4)", set()),
        ("x = tl.load(scratch + tl.maximum(dl.consume_token(0, t), 0) % 4)", set()),
        ("x = tl.load(scratch + tl.cast(dl.consume_token(0, t), tl.int64))", set()),
        ("x = tl.load(scratch + tl.cdiv(dl.consume_token(0, t), 4))", set()),
        ("x = tl.load(scratch + (offs + dl.consume_token(0, t)), mask=offs < 1)", set()),
        ("x = tl.load(scratch + (dl.consume_token(1, t) * offs), mask=offs < 1)", set()),
        ("x = tl.load(dl.consume_token(scratch, 0 | t))", set()),
        ("tl.store(scratch, dl.consume_token(2, t))", set()),
        ("tl.store(scratch, dl.consume_token(2, t) + 1)", set()),
        ("x = dl.consume_token(scratch, t)\n    y = tl.load(scratch)", {"race", "unused-token"}),
        ("x = dl.consume_token(0, t)\n    y = tl.load(scratch)", {"race", "unused-token"}),
        ("x = tl.load(dl.consume_token(P, t))\n    y = tl.load(scratch)", {"race"}),
        ("tl.store(scratch, 2)\n    x = dl.consume_token(2, t)", {"race", "unused-token"}),
    ],
)
def test_order_goes_with_the_value(access: str, found: set[str]) -> None:
    assert kinds(run(small(PASS_ON.format(access=access)), launches=1)) == found


def test_what_is_computed_carries_the_tokens_and_is_as_wide_as_before() -> None:
    class Token:
        def __init__(self) -> None:
            self.uses = 0

        def use(self) -> None:
            self.uses += 1

    token, other = Token(), Token()
    narrow, wide = Behind(5, (token,)), Behind(Int64(5), (other,))
    assert (type(narrow.plain), type(wide.plain)) == (int, Int64)
    for result, value in (
        (narrow + 1, 6),
        (1 + narrow, 6),
        (2 - narrow, -3),
        (narrow // 2, 2),
        (17 % narrow, 2),
        (narrow & 4 | 8 ^ 1, 13),
        (narrow << 1 >> 1, 5),
        (-narrow, -5),
        (carried(max, narrow, 7), 7),
    ):
        assert (type(result), result.plain, result.tokens, result.wide) == (Behind, value, (token,), False)
    for result in (wide * 2, Int64(3) - wide, narrow + wide, wide - narrow):
        assert (type(result), result.wide, set(result.tokens) - {token}) == (Behind, True, {other})
    assert (narrow + wide + narrow).tokens == (token, other)
    assert (token.uses, other.uses) == (0, 0)
    assert (narrow < 6, narrow == 5, bool(narrow), {narrow: 1}[5], narrow / 2) == (True, True, True, 1, 2.5)
    assert token.uses >= 5
    assert other.uses == 0


ROOT = Path(__file__).parents[3]
SCHEDULES = ("mte_pipelined", "udma_notify", "direct", "copy_engine", "put")


@cache
def compiled(schedule: str) -> tuple[Program, tuple[Setup, ...]]:
    path = ROOT / "specs" / "reverse_all2all.a2a"
    checked = check(Source(path.name, path.read_text(encoding="utf-8")))
    found = next(s for s in checked.schedules if s.name == schedule)
    return program_of(checked, found), small_setups(found)


def without_use(kernel: str) -> Iterator[tuple[str, str]]:
    """(what, the kernel in which it goes into a name that nothing reads) for each call of consume_token."""
    for statement in ast.walk(ast.parse(kernel)):
        if not isinstance(statement, ast.Assign | ast.Expr):
            continue
        for call in ast.walk(statement):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "dl.consume_token":
                lines = replaced_in(kernel, call, ast.unparse(call.args[0])).split("\n")
                lines.insert(statement.lineno - 1, f"{' ' * statement.col_offset}unread = {ast.unparse(call)}")
                yield ast.unparse(call), "\n".join(lines)


def outcome_of(schedule: str, kernel: str) -> Outcome:
    program, setups = compiled(schedule)
    outcome = search(replace(program, kernel=kernel), setups[:1], interleavings=2)
    return search(replace(program, kernel=kernel), setups, interleavings=6) if outcome.verified else outcome


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_generated_kernels_whose_tokens_go_nowhere_are_found(schedule: str) -> None:
    program, _ = compiled(schedule)
    cases = list(without_use(program.kernel))
    assert cases
    found = {what: kinds(outcome_of(schedule, kernel)) for what, kernel in cases}
    # Its token also orders the stores before the notifies, which come after all waits of a core.
    assert found.pop("dl.consume_token(send_ready, admitted)", set()) == set()
    assert [what for what, of in found.items() if not of & {"race", "unused-token"}] == []
