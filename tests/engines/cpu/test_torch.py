"""The same launchers with real torch tensors."""

from __future__ import annotations

import pytest

from a2agen.engines.cpu import simulate
from tests.engines.cpu.programs import SUBJECTS, Subject
from tests.engines.cpu.small import kinds, run, small

pytest.importorskip("torch")


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_a_launcher_runs_with_torch(subject: Subject) -> None:
    from a2agen.engines.cpu.torch_tensors import TorchTensors  # noqa: PLC0415 - where torch is

    own = simulate(subject.program, subject.shape, cores=subject.cores, seed=3)
    torch = simulate(subject.program, subject.shape, cores=subject.cores, seed=3, tensors=TorchTensors())
    assert torch.error is None
    assert torch.verified
    assert torch.operations == own.operations
    assert torch.switches == own.switches


def test_torch_operations_are_queued_and_checked() -> None:
    from a2agen.engines.cpu.torch_tensors import TorchTensors  # noqa: PLC0415

    clear = "self._words[:8].zero_()\n"
    notify = (
        'if pid == 0:\n    dl.notify(words, 1 - rank, signal=1, sig_op="set", comm_scope="intra_node")\n'
        '    tl.store(dl.consume_token(scratch + 32 + pid, dl.wait(words, 1, "sys", "acquire", waitValue=1)), 0)'
    )
    values = {"W": 2, "S": 1, "D": 9}
    right = small(start=notify, before=clear + "ranks.synchronize()\nranks.barrier()", cores=1)
    assert simulate(right, values, interleavings=4, tensors=TorchTensors()).verified
    wrong = small(start=notify, before=clear + "ranks.barrier()", cores=1)
    assert "race" in kinds(simulate(wrong, values, interleavings=4, tensors=TorchTensors()))
    assert "race" in kinds(run(wrong, launches=3))
