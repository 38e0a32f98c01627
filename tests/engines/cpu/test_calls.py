"""What the calls of communication name by words (scopes, semantics, ways of a signal), each changed to each other word
that is accepted: the edit is found, or said here to be without effect; and barriers, of which a GPU's are of ranks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from a2agen.engines.cpu.program import Program
from a2agen.engines.cpu.run import program_of
from a2agen.engines.cpu.simulation import Outcome, search
from a2agen.engines.setups import Setup
from a2agen.engines.small import small_setups
from a2agen.passes.check import check
from a2agen.source import Source
from tests.engines.cpu.mutants import replaced_in
from tests.engines.cpu.small import line_of, small

ROOT = Path(__file__).parents[3]
SPECS = {
    "direct": "specs/reverse_all2all.a2a",
    "copy_engine": "specs/reverse_all2all.a2a",
    "put": "specs/reverse_all2all.a2a",
    "mte_pipelined": "specs/reverse_all2all.a2a",
    "pipelined": "benchmarks/gpu/exchanges.a2a",
    "staged": "benchmarks/gpu/exchanges.a2a",
}
SIGNALS = ("libshmem_device.NVSHMEM_SIGNAL_SET", "libshmem_device.NVSHMEM_SIGNAL_ADD")
# By call and parameter: the parameter's place, and the words that it takes.
WORDS = {
    ("wait", "scope"): (2, ("'cta'", "'gpu'", "'sys'")),
    ("wait", "semantic"): (3, ("'acquire'", "'relaxed'", "'release'", "'acq_rel'")),
    ("notify", "sig_op"): (3, ("'set'", "'add'")),
    ("notify", "comm_scope"): (4, ("'gpu'", "'intra_node'", "'inter_node'")),
    ("putmem_signal_nbi_block", "sig_op"): (5, SIGNALS),
}


@dataclass(frozen=True)
class Edit:
    """A word of a call changed to another: of which call, about which signal words, and for whom where it notifies."""

    call: str
    about: str
    parameter: str
    value: str
    line: int
    kernel: str


def edits(kernel: str) -> Iterator[Edit]:
    for call in ast.walk(ast.parse(kernel)):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        name = call.func.attr
        for (wanted, parameter), (place, words) in WORDS.items():
            if name != wanted:
                continue
            value = next((k.value for k in call.keywords if k.arg == parameter), None)
            if value is None:
                value = call.args[place]
            for word in words:
                if word != ast.unparse(value):
                    text = replaced_in(kernel, value, word)
                    yield Edit(name, _about(call), parameter, word.strip("'"), call.lineno, text)


def _about(call: ast.Call) -> str:
    """The signal words of a call, and the rank that a notify names."""
    names = [n.id for argument in call.args for n in ast.walk(argument) if isinstance(n, ast.Name)]
    word = next(name for name in names if name == "entered" or name.endswith(("_ready", "_full")))
    return f"{word} to {ast.unparse(call.args[1])}" if call.func.attr == "notify" else word  # type: ignore[attr-defined]


# schedules (none: all of a GPU), call, words, parameter, value; and why nothing comes of it.
ACQUIRES = "it acquires as acquire does"
BEFORE = "what it announces the stream has done before the kernel, and a kernel starts behind it"
OWN = "writer and waiter are programs of one rank"
MAILBOX = "the mailbox's own words order all at a shape that does not change: below"
WITHOUT_EFFECT = {
    (None, "wait", None, "semantic", "acq_rel"): ACQUIRES,
    ("direct copy_engine pipelined staged", "notify", "entered to to", "comm_scope", "inter_node"): BEFORE,
    ("copy_engine", "notify", "send_ready to to", "comm_scope", "inter_node"): BEFORE,
    ("put", "wait", "pack_ready", "scope", "gpu"): OWN,
    ("put", "notify", "pack_ready to rank", "comm_scope", "gpu"): OWN,
    ("pipelined", "wait", "entered", "scope", None): MAILBOX,
    ("pipelined", "wait", "entered", "semantic", None): MAILBOX,
    ("pipelined", "notify", "send_full to to", "sig_op", "add"): "the word is 0 until then",
    # Ascend's library has no such words: a wait is one of the device, a notify a store.
    ("mte_pipelined", "wait", None, None, None): "ignored on Ascend",
    ("mte_pipelined", "notify", None, "comm_scope", None): "ignored on Ascend",
}
# What says by its kind what is wrong.
KIND = {
    ("put", "notify", "entered to to", "comm_scope", "intra_node"): "beyond-node",
    ("mte_pipelined", "notify", None, "sig_op", "add"): "add-stored",
}


def fits(key: tuple[str | None, ...], schedule: str, edit: Edit) -> bool:
    of, *rest = key
    if of is None:
        of = "direct copy_engine put pipelined staged"
    given = (edit.call, edit.about, edit.parameter, edit.value)
    return schedule in of.split() and all(a in (None, b) for a, b in zip(rest, given, strict=True))


@cache
def compiled(schedule: str) -> tuple[Program, tuple[Setup, ...]]:
    path = ROOT / SPECS[schedule]
    checked = check(Source(path.name, path.read_text(encoding="utf-8")))
    found = next(s for s in checked.schedules if s.name == schedule)
    return program_of(checked, found), small_setups(found)


def outcome_of(schedule: str, kernel: str, setups: tuple[Setup, ...] = (), interleavings: int = 2) -> Outcome:
    program, small_ones = compiled(schedule)
    return search(replace(program, kernel=kernel), setups or small_ones[:1], interleavings=interleavings)


def faulty(schedule: str, kernel: str) -> Outcome:
    """What a kernel at fault gives: mostly soon, else in more shapes and interleavings."""
    outcome = outcome_of(schedule, kernel, interleavings=1)
    return outcome_of(schedule, kernel, compiled(schedule)[1], 12) if outcome.verified else outcome


@pytest.mark.parametrize("schedule", SPECS)
def test_every_word_of_a_call_counts_or_is_known_not_to(schedule: str) -> None:
    program, _ = compiled(schedule)
    assert outcome_of(schedule, program.kernel).verified
    wrong = []
    for edit in edits(program.kernel):
        harmless = any(fits(key, schedule, edit) for key in WITHOUT_EFFECT)
        outcome = outcome_of(schedule, edit.kernel) if harmless else faulty(schedule, edit.kernel)
        found = {finding.kind for finding in outcome.findings}
        kind = next((kind for key, kind in KIND.items() if fits(key, schedule, edit)), None)
        right = outcome.verified if harmless else bool(found) if kind is None else kind in found
        if outcome.error is not None or not right:
            wrong.append((edit.line, edit.call, edit.about, edit.parameter, edit.value, found, outcome.error))
    assert wrong == []


def test_nothing_is_said_to_be_without_effect_that_no_kernel_has() -> None:
    seen = [(schedule, edit) for schedule in SPECS for edit in edits(compiled(schedule)[0].kernel)]
    for key in (*WITHOUT_EFFECT, *KIND):
        assert any(fits(key, schedule, edit) for schedule, edit in seen), key


def test_no_word_of_a_generated_kernel_is_left_out() -> None:
    """Every string and constant of the library that a call of communication has is one of those above."""
    kernels = [*ROOT.glob("generated/*/*/kernel.py"), *ROOT.glob("benchmarks/gpu/generated/*/*/kernel.py")]
    assert len(kernels) > 20
    for path in kernels:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            if not ast.unparse(call.func).startswith(("dl.", "libshmem_device.")):
                continue
            places: dict[str | int, ast.expr] = {k.arg: k.value for k in call.keywords if k.arg is not None}
            places |= dict(enumerate(call.args))
            known = {p for (name, word), (n, _) in WORDS.items() if name == call.func.attr for p in (word, n)}
            words = {p for p, v in places.items() if ast.unparse(v) in SIGNALS or isinstance(v, ast.Constant)}
            assert {p for p in words if p in known or not _number(places[p])} <= known, (path, ast.unparse(call))


def _number(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and type(value.value) is int


def test_a_mailbox_of_changing_shapes_needs_the_entry_to_be_acquired() -> None:
    program, _ = compiled("pipelined")
    first, second = {"W": 3, "S": 40, "H": 2, "D": 40}, {"W": 3, "S": 7, "H": 1, "D": 300}
    setups = (Setup(first, 6, (second,)),)
    assert outcome_of("pipelined", program.kernel, setups).verified
    (edit,) = [e for e in edits(program.kernel) if (e.call, e.about, e.value) == ("wait", "entered", "relaxed")]
    assert "race" in {f.kind for f in outcome_of("pipelined", edit.kernel, setups).findings}


def test_a_word_that_stays_on_the_node_names_its_line_and_the_way_out() -> None:
    program, _ = compiled("put")
    edit = next(e for e in edits(program.kernel) if (e.about, e.value) == ("entered to to", "intra_node"))
    (finding,) = outcome_of("put", edit.kernel).findings
    assert (finding.kind, finding.line) == ("beyond-node", edit.line)
    assert 'which only comm_scope="inter_node" reaches' in finding.text


def test_an_address_of_a_rank_on_another_node_is_found() -> None:
    program, _ = compiled("put")
    old = "dl.consume_token(P, admitted) + rank * P_slab"
    assert old in program.kernel
    stored = program.kernel.replace(
        "        # sender\n", "        # sender\n            x = dl.symm_at(K, (rank + 1) % W)\n", 1
    )
    assert "beyond-node" in {f.kind for f in outcome_of("put", stored).findings}
    own = stored.replace("(rank + 1) % W)\n", "rank)\n", 1)
    assert outcome_of("put", own).verified


BLOCK, ALL = "libshmem_device.barrier_all_block()", "libshmem_device.barrier_all()"


@pytest.mark.parametrize(
    ("barrier", "said"),
    [
        (ALL, "all threads of a program call it"),
        (BLOCK, "both join barrier_all_block"),
        (f"if pid < 2:\n        {BLOCK}", "programs 0 and 1"),
        (f"if pid == 0:\n        {ALL}", "all threads of a program call it"),
        (f"if pid == 1:\n        {BLOCK}", None),
        ("tl.debug_barrier()", None),
    ],
)
def test_a_barrier_of_a_gpu_is_one_of_its_ranks(barrier: str, said: str | None) -> None:
    program, setups = compiled("direct")
    kernel = program.kernel.replace(
        "import triton_dist\n", "import triton_dist\nfrom triton_dist.language.extra import libshmem_device\n", 1
    )
    kernel = kernel.replace("    # every row of C has arrived\n", f"    {barrier}\n", 1)
    assert barrier in kernel
    outcome = search(replace(program, kernel=kernel), setups[:1], interleavings=4)
    assert outcome.error is None
    if said is None:
        assert outcome.verified, outcome.findings
        return
    (finding,) = outcome.findings
    assert finding.kind == "rank-barrier"
    assert said in finding.text
    assert "announce by dl.notify and wait by dl.wait" in finding.text
    assert finding.line is not None
    assert "barrier_all" in kernel.splitlines()[finding.line - 1]


def test_a_barrier_of_one_program_of_each_rank_orders_it_and_can_deadlock() -> None:
    """Of one program each: it is a barrier of the ranks indeed; where a rank stays away, the others wait."""
    program, setups = compiled("direct")
    kernel = program.kernel.replace(
        "import triton_dist\n", "import triton_dist\nfrom triton_dist.language.extra import libshmem_device\n", 1
    )
    alone = kernel.replace("    # every row of C has arrived\n", f"    if pid == 1 and rank > 0:\n        {BLOCK}\n", 1)
    outcome = search(replace(program, kernel=alone), setups[:1], interleavings=2)
    (finding,) = outcome.findings
    assert finding.kind == "deadlock"
    assert "waits in the barrier for 1 other cores" in finding.text


def test_a_barrier_on_ascend_is_one_of_all_cores() -> None:
    program = small()
    assert search(program, (Setup({"W": 2, "S": 1, "D": 9}, 3),), interleavings=2).verified
    nvidia = small(vendor="nvidia")
    (finding,) = search(nvidia, (Setup({"W": 2, "S": 1, "D": 9}, 3),), interleavings=2).findings
    assert (finding.kind, finding.line) == ("rank-barrier", line_of(nvidia, ALL))
