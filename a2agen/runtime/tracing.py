"""Operators as nodes of a traced graph: one custom operation of torch, `a2agen::exchange`, for all of them.

`torch.compile` cannot look into a launch. It sees an operation that reads the source and writes the result, both
tensors of known shape, and the number of the operator that does it.
"""

from __future__ import annotations

import sys
import threading
from typing import Any
from weakref import WeakValueDictionary

_OPERATORS: WeakValueDictionary[int, Any] = WeakValueDictionary()
_COUNT = 0
# Ranks can be threads, which build their operators at once.
_ENROLLING = threading.Lock()


def enrol(operator: Any) -> int:
    """The number by which a traced graph names an operator, as long as it lives.

    The operator has `_launch(source, out)`, and `_own_result(out)` with the tensor that it can write in place of one.
    """
    global _COUNT  # noqa: PLW0603 - one number for each operator of the process
    with _ENROLLING:
        _COUNT += 1
        _OPERATORS[_COUNT] = operator
        _register()
        return _COUNT


def traced(number: int, source: Any, result: Any) -> Any:
    """The launch of an operator as a node of the graph that is being traced; gives the result."""
    import torch  # noqa: PLC0415 - it is what traces

    torch.ops.a2agen.exchange(source, result, number)
    return result


def _register() -> None:
    """Register the operation, once, where torch is."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "library") or hasattr(torch.ops.a2agen, "exchange"):
        return

    def exchange(source: torch.Tensor, result: torch.Tensor, operator: int) -> None:  # type: ignore[name-defined]
        found = _OPERATORS.get(operator)
        if found is None:
            raise RuntimeError("the operator of a traced graph is gone: keep it as long as the graph runs")
        # A graph may hand over a copy of the result to keep the original; peers write to the original alone.
        own = found._own_result(result)
        found._launch(source, own)
        if own is not result:
            result.copy_(own)

    torch.library.custom_op(
        "a2agen::exchange",
        exchange,
        mutates_args=("result",),
        schema="(Tensor source, Tensor(a!) result, int operator) -> ()",
    ).register_fake(lambda source, result, operator: None)  # noqa: ARG005
