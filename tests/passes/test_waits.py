"""Circles of waits between phases: found where cores would hang, and only there."""

from __future__ import annotations

from a2agen.passes import waits
from a2agen.passes.check import check
from a2agen.source import Source

HEAD = """
exchange e {
  ranks W in 2..4
  dim   S in 1..64
  dim   D in 1..64
  in  A : bf16 [(to S) D]
  out C : bf16 [S (from D)]
}

schedule s for e {
  target h200
  emit   triton_dist
  block  S by 8
  buffer K : [to S D] local
  buffer P : [from S D] symmetric
  role one : even
  role two : odd
"""


def phase(name: str, role: str, move: str, ready: str = "") -> str:
    return f"  phase {name} on {role} {{\n    move {move}\n    link ldst\n    tile S 8, D 64\n    {ready}\n  }}\n"


def circle(*phases: str) -> list[str | None] | None:
    checked = check(Source("s.a2a", HEAD + "".join(phases) + "  rounds reset\n}\n"))
    found = waits.circle(checked.schedules[0])
    codes = {f.code for f in checked.findings}
    assert ("A607" in codes) == (found is not None), codes
    return None if found is None else [step.phase for step in found]


def test_writer_before_reader_on_the_same_cores() -> None:
    assert (
        circle(
            phase("pack", "one", "A -> K", "ready notify per tile"),
            phase("send", "one", "K -> P", "ready notify per tile"),
            phase("read", "one", "P -> C"),
        )
        is None
    )


def test_reader_before_writer_on_the_same_cores() -> None:
    found = circle(
        phase("pack", "two", "A -> K", "ready notify per tile"),
        phase("read", "one", "P -> C"),
        phase("send", "one", "K -> P", "ready notify per tile"),
    )
    assert found is not None
    assert set(found) == {"read", "send"}


def test_two_roles_that_wait_for_each_other() -> None:
    found = circle(
        phase("send", "one", "K -> P", "ready notify per tile"),
        phase("read", "two", "P -> C"),
        phase("pack", "two", "A -> K", "ready notify per tile"),
    )
    assert found is not None
    assert set(found) == {"send", "read", "pack"}


def test_slabs_announced_as_a_whole_hold_up_what_is_done_block_by_block() -> None:
    pack = phase("pack", "two", "A -> K", "ready notify per tile")
    send = "ready notify per {}"
    read = phase("read", "two", "P -> C")
    assert circle(pack, phase("send", "one", "K -> P", send.format("tile")), read) is None
    found = circle(pack, phase("send", "one", "K -> P", send.format("peer")), read)
    assert found is not None
    assert {"send", "read", "pack"} >= set(found) >= {"send", "read"}


def test_a_barrier_is_left_before_the_block_is_read() -> None:
    assert circle(phase("send", "one", "A -> P", "ready barrier"), phase("read", "two", "P -> C")) is None
    found = circle(
        phase("pack", "one", "A -> K", "ready barrier"),
        phase("send", "two", "K -> P", "ready notify per tile"),
        phase("read", "one", "P -> C"),
    )
    assert found is not None
    assert None in found  # `read` comes before the barrier, as `send`, which it waits for, comes behind it


def test_of_several_circles_one_of_few_steps_is_told() -> None:
    """From block to block there are longer ones: each block of `pack` comes behind the one before of `read`."""
    found = circle(
        phase("pack", "two", "A -> K", "ready notify per peer"),
        phase("send", "one", "K -> P", "ready notify per peer"),
        phase("read", "two", "P -> C"),
    )
    assert found is not None
    assert len(found) == len(set(found)) <= 3
