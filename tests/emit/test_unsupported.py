"""What no back end emits yet is refused by name, with a way out where there is one."""

from __future__ import annotations

import re

import pytest

from a2agen.emit.unsupported import unsupported
from a2agen.findings import Severity
from a2agen.ir.model import Schedule
from a2agen.passes.check import check
from a2agen.source import Source
from tests.passes.lower import matrix

PUT = matrix.put("notify per block", "none", "reset", ", one per peer", "")
STAGED = matrix.staged("ascend910c", "notify per tile", "none", "reset", "[from S H D] symmetric")
ASCENDC = PUT.replace("emit triton_dist", "emit ascendc")


def refused(text: str) -> list[tuple[str, str | None]]:
    """What is refused of a spec's schedule, with the way out. The schedule itself has no error."""
    source = Source("swap.a2a", text)
    found = check(source)
    assert [f.message for f in found.findings if f.severity is Severity.ERROR] == []
    return [(f.message, f.help) for f in unsupported(found.schedules[0], source)]


def unsound(text: str) -> Schedule:
    """The schedule of a spec for whose target there is no library that could run it."""
    return check(Source("swap.a2a", text)).schedules[0]


def test_what_is_emitted_is_not_refused():
    assert refused(PUT) == []
    assert refused(STAGED) == []


@pytest.mark.parametrize("name", ["Kernel", "mover", "P_bytes", "RunSender", "aclrtStream"])
def test_names_of_cpp_and_of_what_is_emitted_in_it(name):
    text = re.sub(r"\bP\b", name, ASCENDC)
    message = f"the name {name}, which emitted C++ makes for itself, is checked, but not emitted yet"
    assert refused(text) == [(message, "choose another name")]
    assert refused(text.replace("emit ascendc", "emit triton_dist")) == []


FLAGGED = """
exchange e {
  ranks W in 2..4
  dim H in 1..64
  dim M in 1..16
  in A : i32 [H to M]
  out C : i32 [from M H]
}
schedule s for e {
  target ascend950
  emit ascendc
  buffer K : [to H M] local flagged
  buffer P : [from H M] symmetric flagged
  role sender : even, one per peer
  role filler : even, rest of sender
  role reader : odd
  phase pack on filler { move A -> K for others link mte tile H 8, M 16 ready notify per peer }
  phase exchange on sender { move K -> P for others link udma ready flag }
  phase gather on reader { move P -> C for others move A -> C for self link mte tile H 8, M 16 }
  rounds epoch
}
"""


def test_flag_blocks_whose_rows_lie_apart_elsewhere():
    """A row in blocks is moved as one run, and rows of P are columns of C."""
    message = "a move of flag blocks of P, along M, to C [from M H], where M is no run, is checked, but not emitted yet"
    assert refused(FLAGGED) == [(message, "lay P out with the innermost axis of C")]
    assert refused(FLAGGED.replace("[from M H]", "[from H M]")) == []
    assert refused(FLAGGED.replace("H in 1..64", "H in 1..1")) == []
    (message, _) = refused(FLAGGED.replace("[H to M]", "[H M to]").replace("C : i32 [from M H]", "C : i32 [from H M]"))[
        0
    ]
    assert "from A [H M to]" in message


def test_a_host_role_beside_roles_of_cores_and_one_that_copies_into_a_buffer():
    text = PUT.replace("ascend950", "h200").replace("link mte", "link ldst").replace("link udma", "link ce")
    text = text.replace("even, one per peer", "host")
    found = unsupported(unsound(text), Source("swap.a2a", text))
    assert {f.code for f in found} == {"A399"}
    # In the order of the text, where roles stand before phases.
    assert [(f.message, f.help) for f in found] == [
        ("a host role beside roles of cores is checked, but not emitted yet", "give every phase to a host role"),
        ("a move of the host from A to P is checked, but not emitted yet", "move A -> C"),
    ]
    assert refused(matrix.hosted("credit per peer", "epoch")) == []
    assert refused(matrix.hosted("none", "reset", split=True)) == []


def test_an_input_in_symmetric_memory():
    """The launcher takes the input from its caller, where nothing says in which memory it is."""
    text = matrix.straight("h200", "notify per peer", "credit per peer", "epoch")
    assert "place C symmetric" in text
    assert refused(text) == []
    message = "A in symmetric memory, an input, is checked, but not emitted yet"
    wanted = [(message, "leave out `place A symmetric`")]
    assert refused(text.replace("place C symmetric", "place A symmetric place C symmetric")) == wanted


@pytest.mark.parametrize("name", ["entry_epochs", "exit_epochs", "side", "slabs", "C_rows"])
def test_a_name_that_a_launcher_makes_for_copies_of_its_own(name):
    text = matrix.hosted("credit per peer", "epoch")
    wanted = f"the name {name}, which emitted code makes for itself, is checked, but not emitted yet"
    assert refused(named(text, "H", name)) == [(wanted, "choose another name")]
    assert refused(named(STAGED, "H", name)) == []


def named(text: str, old: str, new: str) -> str:
    return re.sub(rf"\b{old}\b", new, text)


@pytest.mark.parametrize("name", ["send_ready_word", "P_tile", "A_from", "extents", "swap_one"])
@pytest.mark.parametrize("old", ["H", "C"])
def test_a_name_that_emitted_code_makes_for_itself(name, old):
    wanted = f"the name {name}, which emitted code makes for itself, is checked, but not emitted yet"
    assert refused(named(STAGED, old, name)) == [(wanted, "choose another name")]
    assert refused(named(STAGED, old, f"{name}s")) == []


def test_a_stride_is_a_name_only_of_a_strided_tensor():
    text = named(STAGED, "H", "stride_A_1")
    assert refused(text) == []
    strided = text.replace("[(to S) stride_A_1 D]", "[(to S) stride_A_1 D] strided")
    assert [message for message, _ in refused(strided)] == [
        "the name stride_A_1, which emitted code makes for itself, is checked, but not emitted yet"
    ]


def test_two_phases_whose_words_would_have_one_name():
    """A phase that announces two buffers has words for each, called after both."""
    text = (
        matrix.EXCHANGE
        + """
    schedule one for swap {
      target ascend910c
      emit triton_dist
      buffer L : [S H D]
      buffer P : [from S H D] symmetric
      role sender : even
      role reader : odd
      phase send on sender {
        move A -> P for others
        move A -> L for self
        link mte
        tile D 4
        ready notify per tile
      }
      phase keep on reader { move P -> M for others link mte tile D 4 ready notify per tile }
      phase read on reader {
        move M -> C for others
        move L -> C for self
        link mte
        tile D 4
      }
      rounds reset
    }
    """
    )
    text = text.replace("buffer P :", "buffer M : [from S H D]\n      buffer P :")
    assert refused(text) == []
    assert refused(text.replace("phase keep", "phase send_P").replace("buffer M", "buffer M")) == [
        ("the name send_P, which emitted code makes for itself, is checked, but not emitted yet", "choose another name")
    ]


def test_a_task_loop_that_passes_31_bits():
    text = matrix.straight("h200", "notify per peer", "credit per peer", "epoch").replace("tile D 4", "tile D 1")
    assert refused(text) == []
    for small, large in (("1..20\n", "1..64\n"), ("1..40\n", "1..2000000\n"), ("1..4\n", "1..64\n")):
        text = text.replace(small, large)
    ((message, way_out),) = refused(text)
    assert message.startswith("a task loop of phase send that passes 31 bits, as for W = ")
    assert way_out == "make the tiles larger, or bound the extents"
    assert refused(text.replace("tile D 1\n", "tile D 64\n")) == []


def test_a_task_loop_that_passes_31_bits_with_tiles_of_the_launcher():
    """Nobody can make those larger."""
    text = matrix.straight("h200", "notify per peer", "credit per peer", "epoch").replace("tile D 4", "")
    assert refused(text) == []
    text = text.replace("W in 2..5", "W in 2..8").replace("1..40\n", "1..2000000000\n")
    text = text.replace("  in A", "  where S * D <= 2**28\n  in A")
    assert [way_out for _, way_out in refused(text)] == ["bound the extents"]
