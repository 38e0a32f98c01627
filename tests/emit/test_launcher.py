"""What launchers refuse: calls that would launch on memory that is freed, or that is read and written at once."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emit.test_manifest import built
from tests.runtime.fakes import Ranks, Tensor

STAGED = "ascend910c staged [from S H D] symmetric: notify per tile, none, reset"
STRAIGHT = "h200 straight: notify per peer, credit per peer, epoch"
CASE = {"W": 3, "S": 7, "H": 2, "D": 5}
SOURCE = (21, 2, 5)


@pytest.mark.parametrize("name", [STAGED, STRAIGHT])
def test_a_closed_operator_launches_nothing(every, name):
    ranks = Ranks(3)
    operator = built(every[name], CASE, ranks)
    operator(Tensor(SOURCE, "torch.bfloat16"))
    operator.close()
    before = list(ranks.log)
    with pytest.raises(RuntimeError, match="the operator is closed"):
        operator(Tensor(SOURCE, "torch.bfloat16"))
    assert ranks.log == before
    assert len(ranks.freed) == len(ranks.allocated)
    operator.close()
    assert len(ranks.freed) == len(ranks.allocated)


def test_an_output_that_overlaps_the_input_is_refused(every):
    ranks = Ranks(3)
    operator = built(every[STAGED], CASE, ranks)
    ranks.log.clear()
    source = Tensor(SOURCE, "torch.bfloat16", address=4000)
    within = Tensor((7, 6, 5), "torch.bfloat16", address=4000 + 210 * 2 - 2)
    behind = Tensor((7, 6, 5), "torch.bfloat16", address=4000 + 210 * 2)
    with pytest.raises(ValueError, match="C overlaps A in memory"):
        operator(source, out=within)
    assert ranks.log == []
    assert operator(source, out=behind) is behind


@pytest.mark.parametrize("name", [STAGED, STRAIGHT])
def test_a_result_as_the_next_input_is_refused(every, name):
    operator = built(every[name], CASE, Ranks(3))
    result = operator(Tensor(SOURCE, "torch.bfloat16"))
    with pytest.raises(ValueError, match="C overlaps A in memory"):
        operator(Tensor(SOURCE, "torch.bfloat16", address=result.address))


@pytest.mark.parametrize("name", [STAGED, STRAIGHT])
def test_no_tensor_is_refused_in_words(every, name):
    operator = built(every[name], CASE, Ranks(3))
    with pytest.raises(ValueError, match=r"A must be a tensor of shape \(21, 2, 5\), found None"):
        operator(None)


def test_integers_of_numpy_are_extents(every):
    operator = built(every[STAGED], {name: np.int32(n) for name, n in CASE.items()} | {"W": 3}, Ranks(3))
    assert [type(n) for n in operator._extents] == [int] * 4
