"""`--then`: launches of other shapes in one workspace, as far as a schedule allows them."""

from __future__ import annotations

import json

import pytest

from a2agen.passes.check import check
from a2agen.passes.shapes import forbidden
from a2agen.source import Source

EXCHANGE = """exchange swap {
  ranks W in 2..4
  dim   S in 1..64
  dim   D in 1..256
  in  A : bf16 [(to S) D]
  out C : bf16 [(from S) D]
  case tiny { W = 2, S = 5, D = 24 }
}
"""
DIRECT = """schedule direct for swap {
  target h200
  emit   triton_dist
  place  C symmetric
  role mover : all
  phase send on mover { move A -> C link ldst tile D 64 ready notify per peer free credit per peer }
  rounds epoch
}
"""
STAGED = """schedule STAGED for swap {
  target ascend910c
  emit   triton_dist
  cores  4
  block  S by 4
  buffer P : [from S D] symmetric BUFFER
  role sender : even
  role reader : odd
  phase send on sender { move A -> P link mte tile S 4, D 64 SYNC }
  phase read on reader { move P -> C link mte tile S 4, D 64 }
  rounds ROUNDS
}
"""


def staged(name: str, sync: str, rounds: str, buffer: str = "") -> str:
    return STAGED.replace("STAGED", name).replace("SYNC", sync).replace("ROUNDS", rounds).replace("BUFFER", buffer)


MAILBOX = staged("mailbox", "ready notify per tile free credit per tile", "reset", "per block slots 2")
PARITY = staged("parity", "ready notify per tile", "epoch")
ASCENDC = """schedule puts for swap {
  target ascend950
  emit   ascendc
  buffer P : [from S D] symmetric
  role sender : even, one per peer
  role reader : odd
  phase exchange on sender { move A -> P for others link udma ready notify per peer }
  phase gather on reader { move P -> C for others move A -> C for self link mte tile S 8, D 128 }
  rounds epoch
}
"""


@pytest.fixture
def spec(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "swap.a2a").write_text(EXCHANGE + DIRECT + MAILBOX + PARITY + ASCENDC, encoding="utf-8")


@pytest.mark.usefixtures("spec")
@pytest.mark.parametrize("command", ["run", "simulate"])
def test_shapes_that_change(cli, command):
    words = ("swap.a2a", "--schedule", "direct", "--case", "tiny", "--then", "S=9,D=40", "--then", "D=7")
    done = cli(command, *words, "--interleavings", "3", "--format", "json")
    assert done.code == 0, done
    (ran,) = json.loads(done.out)["results" if command == "run" else "shapes"]
    assert ran["then"] == [{"W": 2, "S": 9, "D": 40}, {"W": 2, "S": 5, "D": 7}]


@pytest.mark.usefixtures("spec")
def test_a_change_that_leaves_words_and_halves_where_they_are(cli):
    done = cli("simulate", "swap.a2a", "--schedule", "parity", "--case", "tiny", "--then", "D=25")
    assert (done.code, "nothing found" in done.out) == (0, True), done.out


@pytest.mark.usefixtures("spec")
def test_every_shape_is_launched(cli, tmp_path):
    """A kernel that takes one extent for granted is right at the first shape, and wrong at the one that follows."""
    assert cli("compile", "swap.a2a").code == 0
    kernel = (tmp_path / "generated/swap/direct/kernel.py").read_text(encoding="utf-8")
    first = next(line for line in kernel.splitlines() if line.strip().startswith("for task in"))
    indent = " " * (len(first) - len(first.lstrip()))
    (tmp_path / "edited.py").write_text(kernel.replace(first, f"{indent}S = 5\n{first}", 1), encoding="utf-8")
    words = ("--kernel", "edited.py", "--spec", "swap.a2a", "--schedule", "direct", "--case", "tiny")
    assert cli("simulate", *words, "--interleavings", "2").code == 0
    done = cli("simulate", *words, "--interleavings", "2", "--then", "S=9")
    assert (done.code, "wrong" in done.out) == (1, True)


@pytest.mark.usefixtures("spec")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mailbox", "--then", "S=9"), "mailbox hands each word back with its data, so a workspace is for one shape"),
        (("parity", "--then", "S=9"), "parity has other words at these shapes"),
        (("parity", "--then", "D=64"), "parity has other halves of buffers at these shapes"),
        (("puts", "--then", "S=9"), "the host program of puts launches one shape"),
        (("direct", "--then", "S=65"), "--then S=65: S lies in 1..64"),
        (("direct", "--then", "W=3"), "--then W=3: the number of ranks is the same in all launches"),
        (("direct", "--then", "X=3"), "--then X=3: swap has no such extent"),
        (("direct", "--then", "S"), "--then S: expected a name and a number, as in --then S=64"),
        (("direct", "--then", "S=1,S=2"), "--then gives S twice"),
        (("direct", "--then", "S=1", "--then", "S=2", "--launches", "2"), "--then gives 3 shapes, and there are 2"),
    ],
)
def test_what_is_refused(cli, words, said):
    for command in ("run", "simulate"):
        done = cli(command, "swap.a2a", "--case", "tiny", "--schedule", *words)
        assert (done.code, done.out) == (2, "")
        assert said in " ".join(done.err.split())


@pytest.mark.usefixtures("spec")
def test_a_shape_to_change_and_an_engine_that_can(cli):
    done = cli("simulate", "swap.a2a", "--schedule", "direct", "--then", "S=9")
    assert (done.code, "give the first one by --case or -D" in done.err) == (2, True)
    done = cli("run", "swap.a2a", "--engine", "cuda", "--then", "S=9")
    assert (done.code, "--then is for the cpu engine" in done.err) == (2, True)


def test_the_same_words_and_halves():
    checked = check(Source("swap.a2a", EXCHANGE + MAILBOX + PARITY))
    mailbox, parity = sorted(checked.schedules, key=lambda s: s.name)
    one, same, other = {"W": 2, "S": 5, "D": 24}, {"W": 2, "S": 5, "D": 24}, {"W": 2, "S": 6, "D": 24}
    assert forbidden(mailbox, (one, same)) is None
    assert forbidden(mailbox, (one, other)) is not None
    assert forbidden(parity, (one, same)) is None
    # As many words in both, and slabs that take as many aligned bytes, or more.
    assert forbidden(parity, (one, {"W": 2, "S": 5, "D": 25})) is None
    assert "halves" in (forbidden(parity, (one, other)) or "")
