"""Slabs of buffers start where `align` or the profile says, in kernels, launchers and manifests alike."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from a2agen.engines.cpu.run import simulate
from a2agen.ir.model import Schedule
from a2agen.passes import analysis
from a2agen.passes.check import check
from a2agen.passes.lower import lower
from a2agen.source import Source
from tests.emit.conftest import Emitted, emit
from tests.passes.lower import matrix

LOOPBACK = matrix.put("notify per block", "none", "reset", ", one per peer", "even, rest of sender")
PARITY = matrix.put("notify per block", "none", "epoch", ", one per peer", "")
SLOTS = matrix.staged(
    "ascend910c", "notify per tile", "credit per tile", "epoch", "[from S H D] symmetric per block slots 3"
)
PACKED = matrix.packed("notify per block", "notify per block", "none", "reset", True)
SPECS = {"loopback": LOOPBACK, "parity": PARITY, "slots": SLOTS, "packed": PACKED}


def aligned(text: str, align: int) -> str:
    """The spec with an alignment of its own for every buffer that has slabs."""
    return re.sub(r"(buffer \w+ : \[(?:to|from) .*)", rf"\1 align {align}", text)


def schedule(text: str) -> Schedule:
    (one,) = check(Source("swap.a2a", text)).schedules
    return one


@given(st.sampled_from(sorted(SPECS)), st.sampled_from([2, 32, 64, 512]), st.tuples(*[st.integers(1, 9)] * 4))
def test_slabs_start_at_multiples_and_do_not_overlap(name: str, align: int, extents: tuple[int, ...]):
    plan = lower(schedule(aligned(SPECS[name], align)))
    values = {**dict(plan.constants), **dict(zip("WSHD", extents, strict=True))}
    for memory in plan.memories:
        if memory.kind == "buffer":
            held = 1
            for _, extent in memory.axes[1 + [a in ("to", "from") for a, _ in memory.axes].index(True) :]:
                held *= extent.evaluate(values)
            *_, apart = (n.evaluate(values) for n in memory.shape) if memory.slab else (held,)
            assert held <= apart < held + max(1, align // 2)
            assert apart * 2 % align == 0
            storage = plan.schedule.storage(memory.name)
            assert memory.elements.evaluate(values) == analysis.storage_elements(plan.schedule, storage).evaluate(
                values
            )


@pytest.mark.parametrize("align", [None, 2, 256])
@pytest.mark.parametrize("name", SPECS)
def test_kernels_with_padded_slabs_are_right(name: str, align: int | None):
    """A slab of these extents is no multiple of the alignment: 70 elements, 10 of a block."""
    checked = check(Source("swap.a2a", SPECS[name] if align is None else aligned(SPECS[name], align)))
    (one,) = checked.schedules
    case = {"W": 3, "S": 7, "H": 2, "D": 5}
    outcome = simulate(checked, one, case, cores=8, launches=3, interleavings=3)
    assert (outcome.verified, outcome.error, outcome.findings) == (True, None, ())


def lines(one: Emitted, word: str) -> list[str]:
    return [line.strip() for line in one.files["kernel.py"].splitlines() if word in line]


def test_the_default_is_the_profiles():
    one = emit(LOOPBACK)
    assert one.schedule.target.slab_align_bytes == 32
    about = "  # elements from one slab of P to the next"
    assert lines(one, "P_slab =") == [f"P_slab = tl.cdiv(S * H * D, 16) * 16{about}"]
    assert lines(one, "putmem(") == ["libshmem_device.putmem("]
    assert "P + rank * P_slab + s0 * H * D, A + (to * S + s0) * H * D, rows * H * D * 2, to" in one.files["kernel.py"]
    assert "P_tile = dl.consume_token(P, arrived) + src * P_slab + (s0 * H + h) * D + d0" in lines(one, "src * P_slab")
    # The overlay lies in the own slab.
    assert any("+ rank * P_slab + (slot * BLOCK_S * H + h) * D + d0" in line for line in lines(one, "emptied)"))
    assert "workspace.symmetric((W, runtime.cdiv(S * H * D, 16) * 16), torch.bfloat16)" in one.files["launcher.py"]
    (told,) = json.loads(one.files["manifest.json"])["buffers"]
    assert told["formula"] == "32 * W * cdiv(S * H * D, 16)"
    assert told["bytes"] == {"odd": 32 * 3 * 5}


def test_halves_and_slots_are_made_of_aligned_slabs():
    assert "(half * W + src) * P_slab" in emit(PARITY).files["kernel.py"]
    assert "(slot * W + src) * P_slab + h * D + d0" in emit(SLOTS).files["kernel.py"]


@pytest.mark.parametrize(
    "text",
    [
        matrix.staged("ascend910c", "notify per tile", "none", "reset", "[S (from H) D] symmetric"),
        aligned(LOOPBACK, 2),
        SLOTS.replace("block S by 2", "block S by 16").replace("tile S 2", "tile S 16"),
    ],
    ids=["slabs that interleave", "an alignment of one element", "blocks that are aligned anyhow"],
)
def test_no_padding_where_none_is_needed(text: str):
    assert "_slab" not in "".join(emit(text).files.values())


def test_large_slabs_are_counted_in_64_bits():
    text = LOOPBACK.replace("W in 2..5", "W in 2..3").replace("D in 1..20", "D in 1..16384")
    for rows, wide in ((32767, False), (32768, True)):
        one = emit(text.replace("S in 1..40", f"S in 1..{rows}"))
        cast = "tl.cast(S, tl.int64) * H * D" in lines(one, "P_slab = ")[0]
        assert cast == wide
        assert "tl.cast(rank, tl.int64) * P_slab" in one.files["kernel.py"]
