"""The hand-written pipelined kernel runs right, and without any one piece of its synchronisation something is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from a2agen.engines.cpu import simulate
from tests.engines.cpu.programs import pipelined

SHAPE = {"W": 2, "S": 25, "H": 1, "D": 260}
WORD_ARGUMENTS = 'sig_op="set", comm_scope="intra_node")'


def test_three_launches_are_right_and_nothing_is_found() -> None:
    outcome = simulate(pipelined(), SHAPE, cores=4, launches=3, interleavings=10)
    assert outcome.error is None
    assert outcome.findings == ()
    assert outcome.verified


@pytest.mark.parametrize(
    ("removed", "left"),
    [
        ("libshmem_device.fence()\n                dl.notify(word, to", "dl.notify(word, to"),
        ("libshmem_device.fence()\n                dl.notify(word, rank", "dl.notify(word, rank"),
        (f"dl.notify(word, to, signal=1, {WORD_ARGUMENTS}", "pass"),
        (f"dl.notify(word, rank, signal=0, {WORD_ARGUMENTS}", "pass"),
        ("dl.consume_token(P, token)", "P"),
        ("dl.consume_token(dl.symm_at(P, to), token)", "dl.symm_at(P, to)"),
        ('dl.wait(word, 1, "sys", "acquire", waitValue=1)', "0"),
        ('dl.wait(dl.symm_at(word, to), 1, "sys", "acquire", waitValue=0)', "0"),
    ],
)
def test_a_missing_piece_is_found_in_the_first_interleaving(removed: str, left: str) -> None:
    program = pipelined()
    assert program.kernel.count(removed) == 1
    edited = replace(program, kernel=program.kernel.replace(removed, left))
    outcome = simulate(edited, SHAPE, cores=4, interleavings=1)
    assert outcome.error is None
    assert {f.kind for f in outcome.findings} & {"race", "deadlock", "lost-signal"}
