"""Structs of the CUDA driver lie as cuda.h has them, and errors are told by name. A fake driver takes the calls."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pytest

from a2agen.runtime import driver
from tests.runtime.layouts import FIELDS, SIZES


@pytest.mark.parametrize(("struct", "field"), [(s, f) for s, fields in FIELDS.items() for f in fields])
def test_where_fields_lie(struct, field):
    """Offsets and sizes by the documentation of the driver; tests/nvidia has them from a C compiler and cuda.h."""
    _, offset, size = FIELDS[struct][field]
    found = getattr(getattr(driver, struct), field)
    assert (found.offset, found.size) == (offset, size)


@pytest.mark.parametrize("struct", FIELDS)
def test_no_field_is_left_out(struct):
    kind = getattr(driver, struct)
    assert [name for name, _ in kind._fields_ if name not in ("alias", "rest")] == list(FIELDS[struct])
    assert ctypes.sizeof(kind) == SIZES[struct]


def test_a_plane_is_filled_in():
    made = driver.plane(target=100, source=200, width=30, height=4, pitches=(50, 60))
    filled = {name: getattr(made, name) for name, _ in made._fields_ if getattr(made, name)}
    assert filled == {
        "source_type": 4,
        "source": 200,
        "source_pitch": 60,
        "target_type": 4,
        "target": 100,
        "target_pitch": 50,
        "width": 30,
        "height": 4,
    }


def test_operations_on_words():
    told, waited = driver.write(64, 7), driver.wait(72, 8)
    assert (told.operation, told.address, told.value, told.flags) == (5, 64, 7, 0)
    assert (waited.operation, waited.address, waited.value, waited.flags) == (4, 72, 8, 1)


class Library:
    """A driver that writes down what it is asked, and gives the error of the call's name."""

    def __init__(self) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.errors: dict[str, int] = {}
        self.names = {719: b"CUDA_ERROR_LAUNCH_FAILED"}

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> int:
            self.log.append((name, *arguments))
            if name == "cuGetErrorName" and arguments[0] in self.names:
                arguments[1]._obj.value = self.names[arguments[0]]
            if name == "cuEventCreate":
                arguments[0]._obj.value = 77
            return self.errors.get(name, 0)

        return call


@pytest.fixture
def library(monkeypatch) -> Iterator[Library]:
    found = Library()
    driver._function.cache_clear()
    monkeypatch.setattr(driver, "_library", lambda: found)
    yield found
    driver._function.cache_clear()


def test_calls(library):
    plane = driver.plane(1, 2, 3, 4, (5, 6))
    driver.copy(plane, 9)
    assert driver.event() == 77
    driver.record(77, 9)
    driver.follow(8, 77)
    driver.WordOps(driver.write(64, 7), driver.wait(72, 8)).on(9)
    names = [entry[0] for entry in library.log]
    assert names == [
        "cuMemcpy2DAsync_v2",
        "cuEventCreate",
        "cuEventRecord",
        "cuStreamWaitEvent",
        "cuStreamBatchMemOp_v2",
    ]
    copied, made, recorded, followed, batch = library.log
    assert (copied[1]._obj, copied[2].value) == (plane, 9)
    assert made[2] == 2  # without timing
    assert (recorded[1].value, recorded[2].value) == (77, 9)
    assert (followed[1].value, followed[2].value, followed[3]) == (8, 77, 0)
    assert (batch[1].value, batch[2], [op.address for op in batch[3]], batch[4]) == (9, 2, [64, 72], 0)


@pytest.mark.parametrize(("error", "said"), [(719, "CUDA_ERROR_LAUNCH_FAILED"), (12345, "12345")])
def test_an_error_is_told_by_its_name(library, error, said):
    library.errors["cuEventRecord"] = error
    with pytest.raises(RuntimeError, match=f"^cuEventRecord failed: {said}$"):
        driver.record(77, 9)


def test_without_a_driver(monkeypatch):
    """What a machine without a GPU says; the library is looked for at the first call alone."""

    def missing(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    driver._function.cache_clear()
    driver._library.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(OSError, match=r"libcuda\.so\.1"):
        driver.event()
