"""Launches of the stand-in: the table goes first, constants last, and a kind that was seen is not compiled again."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from a2agen.runtime.standin import peers
from a2agen.runtime.standin.rewrite import PEERS
from tests.runtime.fakes import Tensor
from tests.runtime.modules import loaded, module

NAME = "a2agen.runtime.standin.kernel"


class Compiled:
    """What Triton gives for a kind of launch."""

    def __init__(self, log: list[Any]) -> None:
        self._log = self.module = log

    def _init_handles(self) -> None:
        self._log.append("loaded")

    def __getitem__(self, grid: tuple[int, ...]) -> Any:
        return lambda *arguments: self._log.append(("launch", grid, arguments))


class Jitted:
    """What `triton.jit` makes of a function."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self.fn, self.options = function, options
        self.arg_names = list(inspect.signature(function).parameters)
        self.log: list[Any] = []

    def warmup(self, *arguments: Any, grid: tuple[int, ...], **options: Any) -> Compiled:
        self.log.append(("compile", grid, arguments, options))
        return Compiled(self.log)


@pytest.fixture
def kernel() -> Iterator[Any]:
    triton = module("triton", jit=lambda function, **options: Jitted(function, options))
    nvshmem = module(
        "a2agen.runtime.standin.nvshmem",
        wanted_by=lambda text: "putmem" in text,
        libraries=lambda: {"libnvshmem_device": "device.bc"},
        initialise=lambda device: device.append("initialised"),
    )
    with loaded(NAME, {"triton": triton, nvshmem.__name__: nvshmem}) as found:
        yield found


@pytest.fixture
def table() -> Iterator[Any]:
    """Memory from 1000 on is symmetric."""
    found = Tensor((3,), "torch.int64", device="cuda:0", address=5)
    peers.register(1000, found)
    yield found
    peers.forget(1000)


def exchange(A, C, n, TILE=4, WIDE=False):  # noqa: N803
    """Moves."""
    return A + C + n + TILE + WIDE


def tensor(address: int) -> Tensor:
    return Tensor((4,), "torch.bfloat16", device="cuda:0", address=address)


def test_a_kernel_is_the_function_with_the_table_first(kernel):
    made = kernel.jit(do_not_specialize=["n"])(exchange)
    assert made.fn.arg_names == [PEERS, "A", "C", "n", "TILE", "WIDE"]
    assert made.fn.options == {"do_not_specialize": ["n"]}
    assert (made.__name__, made.__doc__) == ("exchange", "Moves.")
    assert kernel.jit(exchange).fn.options == {}
    # The text is the file's own, on its own lines.
    lines, first = inspect.getsourcelines(made.fn.fn)
    assert lines[0] == f"def exchange({PEERS}, A, C, n, TILE=4, WIDE=False):  # noqa: N803\n"
    assert (lines[1:], first) == (
        inspect.getsource(exchange).splitlines(keepends=True)[1:],
        inspect.getsourcelines(exchange)[1],
    )


def test_kernels_of_one_file_share_its_lines(kernel):
    kernel.jit(exchange)
    other = kernel.jit(tensor_like)
    path = other.fn.fn.__code__.co_filename
    text = "".join(linecache.getlines(path))
    assert f"def exchange({PEERS}, A" in text
    assert f"def tensor_like({PEERS}, A)" in text
    assert inspect.getsource(other.fn.fn).startswith(f"def tensor_like({PEERS}, A):")


def tensor_like(A):  # noqa: N803
    return A


def test_a_launch_compiles_once_for_each_kind(kernel, table):
    made = kernel.jit(exchange)
    hooked: list[str] = []
    kernel.before_first_launch.append(lambda: hooked.append("hook"))
    source, result = tensor(64), tensor(1000)
    for _ in range(2):
        made[(8,)](source, result, 7, TILE=16)
    compiled = ("compile", (8,), (table, source, result, 7), {"TILE": 16})
    # Constants follow the arguments in the function's order, those that no launch names by their defaults.
    launch = ("launch", (8, 1, 1), (table, source, result, 7, 16, False))
    assert made.fn.log == [compiled, "loaded", launch, launch]
    assert hooked == ["hook"]


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ({"A": tensor(80)}, False),  # as well aligned
        ({"A": tensor(72)}, True),
        ({"n": 8}, True),
        ({"TILE": 32}, True),
        ({"num_warps": 1}, True),
        ({"grid": (9,)}, False),
    ],
)
def test_what_makes_another_kind(kernel, table, change, again):
    made = kernel.jit(exchange)
    known: dict[str, Any] = {"grid": (8,), "A": tensor(64), "n": 7, "TILE": 16}
    for values in (known, known | change):
        options = {name: value for name, value in values.items() if name not in ("grid", "A", "n")}
        made[values["grid"]](values["A"], tensor(1000), values["n"], **options)
    assert sum(entry[0] == "compile" for entry in made.fn.log) == 1 + again
    # What is no constant of the kernel is no argument of the launch.
    assert all(len(entry[2]) == 6 for entry in made.fn.log if entry[0] == "launch")


def putting(A):  # noqa: N803
    """Calls putmem."""
    return A


def test_a_kernel_that_puts_is_linked_with_the_library(kernel, table):
    made = kernel.jit(putting)
    made[(8,)](tensor(1000))
    (_, _, _, options), *rest = made.fn.log
    assert options == {"extern_libs": {"libnvshmem_device": "device.bc"}}
    assert rest[:2] == ["loaded", "initialised"]
    # It is no argument of the kernel.
    assert len(rest[2][2]) == 2


def test_a_launch_without_symmetric_memory_names_what_is_missing(kernel):
    made = kernel.jit(exchange)
    with pytest.raises(ValueError, match="without a tensor in symmetric memory"):
        made[(8,)](tensor(64), tensor(2000), 7)
    assert made.fn.log == []


def test_the_table_of_the_first_argument_that_has_one():
    for address in (1, 2):
        peers.register(address, f"table {address}")
    try:
        held = [SimpleNamespace(data_ptr=lambda at=at: at) for at in (9, 2, 1)]
        assert peers.table_of([3, *held]) == "table 2"
    finally:
        for address in (1, 2, 1):
            peers.forget(address)
    with pytest.raises(ValueError, match="which ranks are the peers"):
        peers.table_of([3, *held])


def test_the_table_has_the_way_to_each_heap():
    assert peers.layout(1, [1000, 4000, 500]) == [1, 3, -3000, 0, -3500, 0]
