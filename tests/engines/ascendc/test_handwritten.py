"""A kernel written by hand in the form of emitted ones: right as it is, and each thing that is taken out is found."""

from __future__ import annotations

import re

import pytest

from tests.engines.ascendc.conftest import VALUES

QUIET = ("aclshmemx_udma_quiet(peer);", "")
WAIT = ("aclshmem_uint64_wait_until(word + from * WORD_STEP, ACLSHMEM_CMP_EQ, epoch);", "")
NOTIFY = ("aclshmem_uint64_p(word + rank * WORD_STEP, epoch, peer);", "")


SHAPES = [{"W": 2, "S": 1, "D": 1}, {"W": 4, "S": 33, "D": 7}, {"W": 5, "S": 2, "D": 1000}]


def kinds(outcome):
    return {f.kind for f in outcome.findings}


def test_the_kernel_is_right(swap):
    outcome = swap(interleavings=20, launches=5)
    assert (outcome.error, outcome.findings, outcome.verified) == (None, (), True)
    assert (outcome.interleavings, outcome.wrong, outcome.deadlocks) == (20, 0, 0)
    assert outcome.operations > 1000


@pytest.mark.parametrize("values", SHAPES)
def test_other_shapes_are_right_without_checks_too(swap, values):
    assert swap(values=values, interleavings=4).verified
    assert swap(values=values, interleavings=2, checked=False).verified


@pytest.mark.parametrize(
    ("edit", "kind"),
    [
        (QUIET, "race"),
        (QUIET, "source-reuse"),
        (QUIET, "unfinished-put"),
        (WAIT, "race"),
        (NOTIFY, "deadlock"),
        (("WaitFlag<HardEvent::MTE2_MTE3>(event);", ""), "unmatched-event"),
        (("SetFlag<HardEvent::MTE2_MTE3>(event);", ""), "deadlock"),
        (("WaitFlag<HardEvent::MTE3_MTE2>(event);", ""), "unmatched-event"),
        (("static_cast<int64_t>(epoch % 2) * W * slab", "0"), "race"),
        (("WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);", ""), "unmatched-event"),
    ],
)
def test_what_is_taken_out_is_found_at_once(swap, edit, kind):
    """In every interleaving, as the checks do not depend on the order of the cores."""
    for seed in range(4):
        outcome = swap(edit, interleavings=1, seed=seed)
        assert kind in kinds(outcome), outcome.findings
        assert not outcome.verified


def test_a_missing_pair_of_events_is_a_race_on_chip(swap):
    edits = [(f"{what}Flag<HardEvent::MTE2_MTE3>(event);", "") for what in ("Set", "Wait")]
    finding = next(f for f in swap(*edits, interleavings=1).findings if f.kind == "race")
    assert "no event from MTE2 to MTE3 stands between" in finding.text


def test_a_run_is_the_same_again(swap):
    first, second = (swap(QUIET, seed=7, interleavings=3) for _ in range(2))
    assert (first.findings, first.operations, first.switches) == (second.findings, second.operations, second.switches)


def test_a_race_names_both_lines_and_the_place(swap):
    finding = next(f for f in swap(QUIET, interleavings=1).findings if f.kind == "race")
    assert finding.text.startswith("read of P[half 1, from ")
    assert "by MTE2 is not ordered after the write by the put of rank " in finding.text
    assert (finding.seed, finding.shape, finding.cores) == (0, VALUES, 8)


def test_a_deadlock_names_core_line_word_and_values(swap):
    outcome = swap(("epoch, peer);\n    }", "epoch + 1, peer);\n    }"), interleavings=1)
    (finding,) = (f for f in outcome.findings if f.kind == "deadlock")
    assert "waits for full[half 1, from " in finding.text
    assert " to be 1, it is 2; last writer: rank " in finding.text
    assert finding.line is not None
    assert outcome.deadlocks == 1


@pytest.mark.parametrize(
    ("edit", "kind", "text"),
    [
        (("staging.Get<Element>().GetPhyAddr())", "0x10)"), "out-of-bounds", "outside of the buffers"),
        (("static_cast<uint32_t>(slab), peer);", "static_cast<uint32_t>(slab * 9), peer);"), "out-of-bounds", "put's"),
        (("buf, static_cast<uint32_t>(slab), peer);", "buf, 0, peer);"), "bad-argument", "a request of 0 bytes"),
        (("(rank + i + 1) % W));", "(rank + i) % W));"), "put-to-self", "to itself"),
        (("i = lane; i < W - 1; i += lanes", "i = 0; i < W - 1; i++"), "shared-queue", "use queue 0 of rank"),
        (("DataCopyPad(to, tile, row);", "c[at] = Element();"), "out-of-bounds", "followed directly"),
        (("word + rank * WORD_STEP, epoch", "word + rank, epoch"), "shared-line", "share a cache line"),
        (("from.SetGlobalBuffer(source + at, count);", "from.SetGlobalBuffer(source, 1);"), "out-of-bounds", "Global"),
        (("pipe.InitBuffer(tiles, 2 *", "pipe.InitBuffer(tiles, 999 *"), "out-of-bounds", "buffers of"),
        (("both[static_cast<uint32_t>(turn", "both[1 + static_cast<uint32_t>(turn"), "misaligned", "32 bytes"),
        (("const DataCopyExtParams row(1,", "const DataCopyExtParams row(0,"), "bad-argument", "blockCount"),
    ],
)  # fmt: skip
def test_wrong_use_is_found(swap, edit, kind, text):
    outcome = swap(edit, interleavings=2)
    found = [f for f in outcome.findings if f.kind == kind and text in f.text]
    assert found, outcome.findings
    # The text is all that is printed: a line that the engine knows is in it, once.
    assert [len(re.findall(rf"\bline {f.line}\b", f.text)) for f in found if f.line] == [1] * len(found)


def test_a_kernel_that_a_signal_ends_is_an_error_that_names_it(swap):
    outcome = swap(("aclshmemx_udma_quiet(peer);", "__builtin_trap();"), interleavings=1)
    assert outcome.error is not None
    assert "the program is ended by SIG" in outcome.error


def test_a_wrong_output_is_found(swap):
    outcome = swap(("Copy(c + from * slab, source);", "Copy(c + (W - 1 - from) * slab, source);"), interleavings=1)
    assert kinds(outcome) == {"wrong-output"}
    assert outcome.wrong == 1
    assert outcome.findings[0].text.startswith("C[0, 0] of rank ")


def test_asymmetric_allocations_are_found(swap):
    outcome = swap(host=(("aclshmem_malloc(2 * bytes)", "aclshmem_malloc(2 * bytes + o.rank)"),), interleavings=1)
    assert kinds(outcome) == {"not-symmetric"}


def test_words_that_nobody_clears_are_found(swap):
    clear = ("aclrtMemsetAsync(full, words, 0, words, stream);", "")
    assert "uninitialised" in kinds(swap(host=(clear,), interleavings=2))


def test_a_host_program_that_fails_is_an_error(swap):
    outcome = swap(host=(("ACLSHMEM_DATA_OP_UDMA, 1)", "ACLSHMEM_DATA_OP_UDMA, 33)"),), interleavings=1)
    assert outcome.error is not None
    assert "the host program returns 2" in outcome.error
    assert not outcome.verified
