"""What the engine is told of a schedule's memory."""

from __future__ import annotations

from a2agen.engines.ascendc.memories import memories_of
from a2agen.passes.check import check
from a2agen.source import Source
from tests.passes.lower import matrix


def test_a_buffer_per_block_is_as_long_as_its_blocks() -> None:
    text = matrix.put("notify per block", "none", "reset", ", one per peer", "even, rest of sender")
    text = text.replace("emit triton_dist", "emit ascendc").replace(" overlay P[self]", "")
    schedule = check(Source("swap.a2a", text)).schedules[0]
    found = {m.name: m.axes for m in memories_of(schedule, {"W": 3, "S": 7, "H": 2, "D": 5}, 8)}
    assert found["L"] == (("slot", 2), ("S", 2), ("H", 2), ("D", 5))
    assert dict(found["A"]) == {"to": 3, "S": 7, "H": 2, "D": 5}
