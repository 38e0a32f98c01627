"""Every node knows where it was written, to the character."""

from __future__ import annotations

import pytest

from a2agen.grammar import tree
from a2agen.source import Span
from tests.grammar.texts import FULL, covered, nodes, parsed

STATEMENTS = {
    tree.RanksDecl: ["ranks W in 2..8"],
    tree.DimDecl: ["dim   S in 1..1024", "dim   H in 1..16"],
    tree.WhereDecl: ["where S * H**2 * 3 <= 2**27 * W"],
    tree.Product: ["S * H**2 * 3", "2**27 * W"],
    tree.Power: ["S", "H**2", "3", "2**27", "W"],
    tree.TensorDecl: ["in  A : bf16 [(to S) H] strided", "out C : bf16 [S (from H)]"],
    tree.LayoutDecl: ["[(to S) H]", "[S (from H)]", "[from S H]", "[S H]"],
    tree.CaseDecl: ["case odd { W = 3, S = 13, H = 2 }"],
    tree.Binding: ["W = 3", "S = 13", "H = 2"],
    tree.TargetDecl: ["target ascend950"],
    tree.EmitDecl: ["emit   ascendc"],
    tree.CoresDecl: ["cores  40"],
    tree.BlockDecl: ["block  S by 8"],
    tree.BufferDecl: [
        "buffer P : [from S H] symmetric flagged align 512",
        "buffer L : [S H] per block slots 2 overlay P[self]",
    ],
    tree.OverlayDecl: ["overlay P[self]"],
    tree.PlaceDecl: ["place  C symmetric"],
    tree.RoleDecl: [
        "role sender : even, one per peer",
        "role filler : even, rest of sender",
        "role reader : odd",
        "role copier : host",
    ],
    tree.MoveDecl: ["move  A -> P for others", "move  A -> L for self"],
    tree.LinkDecl: ["link  udma(qps 2, submit batch 4, complete end)", "link  mte"],
    tree.TileDecl: ["tile  S 8, H 2"],
    tree.TileExtent: ["S 8", "H 2"],
    tree.ReadyDecl: ["ready signal per block", "ready notify per tile"],
    tree.FreeDecl: ["free  credit per tile"],
    tree.OrderDecl: ["order staggered"],
    tree.RoundsDecl: ["rounds epoch"],
}


@pytest.mark.parametrize("kind", STATEMENTS, ids=lambda kind: kind.__name__)
def test_statements_cover_their_text(kind: type) -> None:
    found = [covered(FULL, node.span) for node in nodes(parsed(FULL)) if isinstance(node, kind)]
    assert found == STATEMENTS[kind]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_names_words_and_numbers_cover_their_text(line_end: str) -> None:
    file = parsed(FULL.replace("\n", line_end))
    leaves = [node for node in nodes(file) if isinstance(node, (tree.Name, tree.Word, tree.Integer))]
    assert len(leaves) == 96
    for leaf in leaves:
        assert covered(FULL, leaf.span) == (str(leaf.value) if isinstance(leaf, tree.Integer) else leaf.text)


def test_blocks_cover_themselves_and_heads_their_names() -> None:
    file = parsed(FULL)
    (exchange,), (schedule,) = file.exchanges, file.schedules
    blocks = [exchange, schedule, *schedule.phases]
    assert [covered(FULL, block.head) for block in blocks] == [
        "exchange turn",
        "schedule all_of_it for turn",
        "phase exchange on sender",
        "phase loopback on filler",
    ]
    for block in blocks:
        text = covered(FULL, block.span)
        assert text.startswith(covered(FULL, block.head))
        assert text.endswith("}")
    assert exchange.span == Span(2, 1, 12, 2)
    assert file.span == Span(1, 1, 43, 1)


def test_parents_contain_their_children() -> None:
    file = parsed(FULL)
    for node in nodes(file):
        assert all(node.span.contains(inner.span) for inner in nodes(node))


def test_columns_count_characters() -> None:
    text = "# é 漢字\nexchange e {\n\tdim\tS in 1..2 # ü\n}"
    (dim,) = parsed(text).exchanges[0].dims
    assert dim.span == Span(3, 2, 3, 15)
    assert dim.high.span == Span(3, 14, 3, 15)
