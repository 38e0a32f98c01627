"""Operators by number in a traced graph: the one that was enrolled launches, on its own result, while it lives."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from tests.runtime.modules import loaded, module


class Torch:
    """As much of torch as registers an operation and calls it."""

    def __init__(self) -> None:
        self.registered: list[tuple[str, Any, dict[str, Any]]] = []
        self.fakes: list[Any] = []
        self.ops = SimpleNamespace(a2agen=SimpleNamespace())

    def custom_op(self, name: str, function: Any, **options: Any) -> Any:
        self.registered.append((name, function, options))
        self.ops.a2agen.exchange = function
        return SimpleNamespace(register_fake=self.fakes.append)


class Result:
    def __init__(self, name: str) -> None:
        self.name = name
        self.copied: list[Result] = []

    def copy_(self, other: Result) -> None:
        self.copied.append(other)


class Operator:
    """Writes to `own` alone where it has one."""

    def __init__(self, own: Result | None = None) -> None:
        self.own = own
        self.log: list[tuple[str, str]] = []

    def _own_result(self, out: Result) -> Result:
        return self.own or out

    def _launch(self, source: str, out: Result) -> None:
        self.log.append((source, out.name))


@pytest.fixture
def torch() -> Torch:
    return Torch()


@pytest.fixture
def tracing(torch) -> Iterator[Any]:
    fake = module("torch", library=SimpleNamespace(custom_op=torch.custom_op), ops=torch.ops)
    with loaded("a2agen.runtime.tracing", {"torch": fake}) as found:
        yield found


def test_operators_have_numbers_of_their_own_and_one_operation(tracing, torch):
    first, second = Operator(), Operator()
    numbers = [tracing.enrol(first), tracing.enrol(second)]
    assert len(set(numbers)) == 2
    ((name, _, options),) = torch.registered
    assert name == "a2agen::exchange"
    assert options["mutates_args"] == ("result",)
    assert options["schema"] == "(Tensor source, Tensor(a!) result, int operator) -> ()"
    (fake,) = torch.fakes
    assert fake("A", Result("C"), 1) is None
    result = Result("C")
    assert tracing.traced(numbers[1], "A", result) is result
    assert (first.log, second.log) == ([], [("A", "C")])
    assert result.copied == []


def test_a_result_that_the_graph_handed_over_gets_what_the_operators_own_has(tracing):
    own, copy = Result("own"), Result("copy")
    operator = Operator(own)
    number = tracing.enrol(operator)
    tracing.traced(number, "A", copy)
    assert operator.log == [("A", "own")]
    assert copy.copied == [own]
    tracing.traced(number, "A", own)
    assert own.copied == []


def test_an_operator_that_is_gone_is_not_launched(tracing):
    operator = Operator()
    number = tracing.enrol(operator)
    del operator
    gc.collect()
    with pytest.raises(RuntimeError, match="keep it as long as the graph runs"):
        tracing.traced(number, "A", Result("C"))


def test_without_torch_there_is_nothing_to_register():
    with loaded("a2agen.runtime.tracing", {"torch": module("torch")}) as tracing:
        operators = [Operator(), Operator()]
        assert len({tracing.enrol(o) for o in operators}) == 2


def test_ranks_that_are_threads_enrol_at_once(tracing, torch) -> None:
    """The operation is registered once, and every operator has a number of its own."""
    register, together = torch.custom_op, threading.Barrier(8)

    def slow(name: str, function: Any, **options: Any) -> Any:
        time.sleep(0.01)
        return register(name, function, **options)

    def enrol(operator: Operator) -> int:
        together.wait(5)
        return tracing.enrol(operator)

    sys.modules["torch"].library.custom_op = slow
    operators = [Operator() for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        numbers = list(threads.map(enrol, operators))
    assert sorted(numbers) == list(range(min(numbers), min(numbers) + 8))
    assert len(torch.registered) == 1
