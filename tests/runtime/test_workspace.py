"""The memory of an operator."""

from __future__ import annotations

import pytest

from a2agen import runtime
from tests.runtime.fakes import Ranks


def test_tensors_have_their_shape_and_are_counted():
    ranks = Ranks()
    workspace = runtime.Workspace(ranks)
    assert workspace.bytes == 0
    first = workspace.symmetric((3, 4), "torch.bfloat16")
    second = workspace.local((5,), "torch.int64")
    assert (first.shape, first.dtype) == ((3, 4), "torch.bfloat16")
    assert (second.shape, second.dtype) == ((5,), "torch.int64")
    assert [(kind, t.shape) for kind, t in ranks.allocated] == [("symmetric", (12,)), ("local", (5,))]
    assert workspace.bytes == 3 * 4 * 2 + 5 * 8


def test_closing_waits_for_all_ranks_and_frees_in_the_opposite_order():
    ranks = Ranks()
    workspace = runtime.Workspace(ranks)
    workspace.symmetric((1,), "torch.int8")
    workspace.local((2,), "torch.int8")
    workspace.close()
    assert ranks.log == ["synchronize", "barrier"]
    assert ranks.freed == [tensor for _, tensor in reversed(ranks.allocated)]
    assert workspace.bytes == 0


def test_closing_twice_frees_once():
    ranks = Ranks()
    workspace = runtime.Workspace(ranks)
    workspace.local((2,), "torch.int8")
    workspace.close()
    workspace.close()
    assert len(ranks.freed) == 1
    assert ranks.log == ["synchronize", "barrier"]


def test_a_closed_workspace_says_so():
    workspace = runtime.Workspace(Ranks())
    workspace.check_open()
    workspace.close()
    with pytest.raises(RuntimeError, match="the operator is closed and its memory is freed: build another one"):
        workspace.check_open()


def test_a_communicator_is_its_own_group():
    ranks = Ranks()
    assert runtime.connect(ranks) is ranks
