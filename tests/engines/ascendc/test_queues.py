"""Requests of every kind on queues, as edits of the hand-written kernel: right ones, and what the engine refuses."""

from __future__ import annotations

import pytest

from a2agen.engines.ascendc.process import Machine
from tests.engines.ascendc.test_handwritten import NOTIFY, QUIET, kinds

PUT = "aclshmemx_udma_put_nbi(p + rank * slab, a + peer * slab, buf, static_cast<uint32_t>(slab), peer);"
BATCH = """
        aclshmemx_submit_state_t state{};
        const int64_t third = slab / 3;
        for (int64_t n = 0; n < 2; n++) {
            aclshmemx_udma_put_nbi(p + rank * slab + n * third, a + peer * slab + n * third, buf,
                                   static_cast<uint32_t>(third), peer, 0, aclshmemx_defer_t(state));
        }
        aclshmemx_udma_put_nbi(p + rank * slab + 2 * third, a + peer * slab + 2 * third, buf,
                               static_cast<uint32_t>(slab - 2 * third), peer, 0, aclshmemx_submit_t(state));"""
SIGNAL = (
    "aclshmemx_udma_put_signal_nbi(p + rank * slab, a + peer * slab, static_cast<uint32_t>(slab), "
    "word + rank * WORD_STEP, epoch, peer, reinterpret_cast<__ubuf__ uint8_t *>(buf));"
)
RELAY = (
    "aclshmemx_udma_relay_put_nbi(p + rank * slab, a + peer * slab, buf, static_cast<uint32_t>(slab), peer, "
    "static_cast<int>((peer + 1) % W == rank ? (peer + 2) % W : (peer + 1) % W));"
)
# Two queues: a core for each half of a slab, and a word for each.
TWO_QUEUES = (
    ("i = lane; i < W - 1; i += lanes", "i = lane; i < 2 * (W - 1); i += lanes"),
    ("Send(static_cast<int>((rank + i + 1) % W));", "Send(static_cast<int>((rank + i / 2 + 1) % W), i % 2);"),
    ("Send(int peer)", "Send(int peer, int64_t q)"),
    (
        PUT,
        "aclshmemx_udma_qp_put_nbi(p + rank * slab + q * (slab / 2), a + peer * slab + q * (slab / 2), buf, "
        "static_cast<uint32_t>(q == 0 ? slab / 2 : slab - slab / 2), peer, static_cast<uint32_t>(q));",
    ),
    ("aclshmemx_udma_quiet(peer);", "aclshmemx_udma_qp_quiet(peer, static_cast<uint32_t>(q));"),
    ("word + rank * WORD_STEP, epoch", "word + (rank * 2 + q) * WORD_STEP, epoch"),
    (
        "aclshmem_uint64_wait_until(word + from * WORD_STEP, ACLSHMEM_CMP_EQ, epoch);",
        "for (int q = 0; q < 2; q++) {\n                "
        "aclshmem_uint64_wait_until(word + (from * 2 + q) * WORD_STEP, ACLSHMEM_CMP_EQ, epoch);\n            }",
    ),
    ("(epoch % 2) * W * WORD_STEP", "(epoch % 2) * 2 * W * WORD_STEP"),
)
HOST_OF_TWO = (
    ("ACLSHMEM_DATA_OP_UDMA, 1)", "ACLSHMEM_DATA_OP_UDMA, 2)"),
    ("size_t{2} * o.W * 64", "size_t{4} * o.W * 64"),
)
STAGING = ("pipe.InitBuffer(staging, ACLSHMEM_UDMA_MTE_STAGING_UB_SIZE)", "pipe.InitBuffer(staging, 3 * 64)")
# A ring of few slots, a put after the other without a quiet between them.
MANY = "for (int64_t n = 0; n < slab; n++) {{ {} }}"
ONE = "aclshmemx_udma_put_nbi(p + rank * slab + n, a + peer * slab + n, buf, 1, peer);"
ONE_WITH_SIGNAL = (
    "aclshmemx_udma_put_signal_nbi(p + rank * slab + n, a + peer * slab + n, 1, word + rank * WORD_STEP, "
    "n + 1 < slab ? uint64_t{0} : epoch, peer, reinterpret_cast<__ubuf__ uint8_t *>(buf));"
)
SMALL = {"W": 3, "S": 4, "D": 16}


def test_batches(swap):
    assert swap((PUT, BATCH), STAGING, interleavings=8).verified


def test_a_put_with_signal(swap):
    assert swap((PUT, SIGNAL), NOTIFY, interleavings=8).verified


def test_a_relay(swap):
    assert swap((PUT, RELAY), values={"W": 4, "S": 5, "D": 16}, cores=8).verified


def test_two_queues(swap):
    assert swap(*TWO_QUEUES, host=HOST_OF_TWO, interleavings=8).verified


def test_a_quiet_of_the_first_queue_alone(swap):
    edits = (*TWO_QUEUES, ("aclshmemx_udma_qp_quiet(peer, static_cast<uint32_t>(q));", "aclshmemx_udma_quiet(peer);"))
    outcome = swap(*edits, host=HOST_OF_TWO, interleavings=2)
    assert {"race", "shared-queue", "unfinished-put"} <= kinds(outcome)


def test_a_wait_for_one_queue_of_two(swap):
    outcome = swap(*TWO_QUEUES, ("for (int q = 0; q < 2; q++) {", "for (int q = 0; q < 1; q++) {"), host=HOST_OF_TWO)
    assert "race" in kinds(outcome)


def test_a_queue_that_is_not_there(swap):
    outcome = swap(*TWO_QUEUES, host=HOST_OF_TWO[1:], interleavings=1)
    assert any(f.kind == "bad-argument" and "there is no queue 1" in f.text for f in outcome.findings)


@pytest.mark.parametrize("via", ["peer", "rank", "static_cast<int>(W)"])
def test_a_relay_that_is_no_third_rank(swap, via):
    edit = (PUT, PUT.replace("udma_put", "udma_relay_put").replace(", peer);", f", peer, {via});"))
    assert "bad-argument" in kinds(swap(edit, interleavings=1))


def test_a_signal_comes_after_its_own_data_alone(swap):
    """The reader waits for the last of several requests: those before it may still be on their way."""
    halves = (
        "aclshmemx_udma_put_nbi(p + rank * slab, a + peer * slab, buf, static_cast<uint32_t>(slab / 2), peer);\n"
        + SIGNAL.replace("rank * slab,", "rank * slab + slab / 2,")
        .replace("peer * slab,", "peer * slab + slab / 2,")
        .replace("(slab),", "(slab - slab / 2),")
    )
    outcome = swap((PUT, halves), NOTIFY, interleavings=4)
    assert "race" in kinds(outcome)
    assert any("by the put of rank" in f.text for f in outcome.findings)


def test_a_batch_without_doorbell_is_not_seen(swap):
    outcome = swap((PUT, BATCH.replace("submit_t(state)", "defer_t(state)")), STAGING, interleavings=2)
    assert {"unfinished-put", "wrong-output"} <= kinds(outcome)


def test_requests_on_chip_that_are_overwritten_before_their_doorbell(swap):
    last = "aclshmemx_udma_put_nbi(p + rank * slab + 2"
    spoilt = BATCH.replace(last, "staging.Get<Element>().SetValue(0, Element());\n        " + last)
    outcome = swap((PUT, spoilt), STAGING, interleavings=1)
    assert any(f.kind == "source-reuse" and "before its doorbell" in f.text for f in outcome.findings)


def test_a_batch_that_its_staging_has_no_room_for(swap):
    assert "out-of-bounds" in kinds(swap((PUT, BATCH), (STAGING[0], STAGING[1].replace("3", "2")), interleavings=1))


def test_a_request_of_its_own_between_those_of_a_batch(swap):
    edit = (PUT, BATCH.replace("        }\n", "        }\n" + PUT, 1))
    assert "bad-argument" in kinds(swap(edit, STAGING, interleavings=1))


def test_a_full_ring_makes_puts_wait(swap):
    outcome = swap((PUT, MANY.format(ONE)), values=SMALL, machine=Machine(ring_slots=8), interleavings=4)
    assert outcome.verified, outcome.findings


def test_signals_overrun_a_ring_that_the_library_counts_in_requests(swap):
    edits = ((PUT, MANY.format(ONE_WITH_SIGNAL)), NOTIFY)
    outcome = swap(*edits, values=SMALL, machine=Machine(ring_slots=8), interleavings=1)
    (finding,) = (f for f in outcome.findings if f.kind == "queue-overrun")
    assert finding.text.startswith("queue 0 of rank ")
    assert "has 8 slots, 8 are taken" in finding.text
    assert finding.line is not None


def test_completions_that_nobody_polls_overrun(swap):
    machine = Machine(ring_slots=1000, completions=8)
    outcome = swap((PUT, MANY.format(ONE)), values=SMALL, machine=machine, interleavings=4)
    assert any(f.kind == "queue-overrun" and "nobody polls them" in f.text for f in outcome.findings)


def test_requests_that_are_polled_in_time_do_not(swap):
    polled = MANY.format(ONE + " if (n % 4 == 3) { " + QUIET[0] + " }")
    machine = Machine(ring_slots=1000, completions=8)
    assert swap((PUT, polled), values=SMALL, machine=machine, interleavings=4).verified


def test_a_source_that_is_packed_again_before_its_put_has_read_it(swap):
    """The put reads a word that the core stores to right after it."""
    again = PUT.replace("a + peer * slab", "p + rank * slab") + (
        "\n        LocalTensor<Element> tile = tiles.Get<Element>();\n"
        "        GlobalTensor<Element> own;\n"
        "        own.SetGlobalBuffer(p + rank * slab, slab);\n"
        "        Duplicate(tile, Element(), 16);\n"
        "        PipeBarrier<PIPE_ALL>();\n"
        "        DataCopy(own, tile, 16);\n"
        "        PipeBarrier<PIPE_ALL>();"
    )
    outcome = swap((PUT, again), interleavings=2)
    assert any(f.kind == "source-reuse" and "no quiet says" in f.text for f in outcome.findings)


def test_a_request_that_is_too_large(swap):
    outcome = swap(machine=Machine(request_bytes=256), interleavings=1)
    assert any(f.kind == "bad-argument" and "carries 1 to 256" in f.text for f in outcome.findings)
