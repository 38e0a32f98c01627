"""The host side: streams run apart from hosts, and the user's work between launches counts."""

from __future__ import annotations

from tests.engines.cpu.small import kinds, run, small

# A word cleared before each launch, and one notify to it from the other rank.
NOTIFY = """\
if pid == 0:
    dl.notify(words + 8, 1 - rank, signal=1, sig_op="set", comm_scope="intra_node")
    tl.store(dl.consume_token(scratch + 32 + pid, dl.wait(words + 8, 1, "sys", "acquire", waitValue=1)), 0)
"""
CLEAR, SYNCHRONIZE, BARRIER = "self._words.zero_()\n", "ranks.synchronize()\n", "ranks.barrier()\n"


def test_a_clear_needs_a_synchronise_before_the_host_barrier() -> None:
    # No device barrier before the notify, which would stand in for what the host left out.
    program = small(start=NOTIFY, before=CLEAR + SYNCHRONIZE + BARRIER, cores=1)
    assert run(program, launches=3).verified
    assert "race" in kinds(run(small(start=NOTIFY, before=CLEAR + BARRIER, cores=1), launches=3))


def test_a_clear_after_the_host_barrier_is_found() -> None:
    program = small(start=NOTIFY, before=BARRIER + CLEAR + SYNCHRONIZE, cores=1)
    assert kinds(run(program, launches=3)) & {"race", "deadlock"}


def test_a_late_remote_write_races_with_the_users_read() -> None:
    late = "if pid == 0:\n    tl.store(dl.symm_at(P, 1 - rank) + rank * D, tl.load(A))\n"
    assert "race" in kinds(run(small(late, after="self._P.add_(0)")))
    assert run(small("", after="self._P.fill_(1)\nself._P.add_(2)", before=SYNCHRONIZE + BARRIER)).error is None


def test_a_late_reader_of_the_input_races_with_the_users_write() -> None:
    put = "if pid == 0:\n    libshmem_device.putmem{nbi}(P + (1 - rank) * D, A + (1 - rank) * D, D * 2, 1 - rank)\n"
    rest = "libshmem_device.quiet()\nlibshmem_device.barrier_all()"
    reads = run(small(put.format(nbi="_nbi")))
    assert any("user's write of A" in f.text for f in reads.findings)
    assert run(small(put.format(nbi="_nbi") + rest)).verified
    # A put that blocks has read its source; only its target is not there yet.
    assert not any("user's write of A" in f.text for f in run(small(put.format(nbi=""))).findings)


def test_a_tensor_without_elements_is_cleared_and_not_reached() -> None:
    """Words of a role that has no core: clearing them does nothing, and waiting for one reaches past their end."""
    clear = "self._words = self._words[0:0]\n" + CLEAR + SYNCHRONIZE + BARRIER
    assert run(small(before=clear, cores=1), launches=3).verified
    assert "out-of-bounds" in kinds(run(small(start=NOTIFY, before=clear, cores=1), launches=3))
