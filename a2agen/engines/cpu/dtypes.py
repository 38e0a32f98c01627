"""Element types: the language's names, their storage, and the bits they are moved as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from a2agen.engines.cpu.errors import UnsupportedError


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DType:
    """An element type. `real` computes with it, `bits` moves it: payload is never rounded or normalised."""

    name: str
    real: np.dtype[Any]
    bits: np.dtype[Any]
    itemsize: int
    integer: bool

    def __repr__(self) -> str:
        return self.name


def _make(name: str, real: Any, integer: bool = False) -> DType:
    dtype = np.dtype(real)
    return DType(name, dtype, np.dtype(f"u{dtype.itemsize}"), dtype.itemsize, integer)


F32 = _make("float32", np.float32)
F16 = _make("float16", np.float16)
BF16 = _make("bfloat16", ml_dtypes.bfloat16)
F8E4M3 = _make("float8_e4m3fn", ml_dtypes.float8_e4m3fn)
F8E5M2 = _make("float8_e5m2", ml_dtypes.float8_e5m2)
I8 = _make("int8", np.int8, integer=True)
I16 = _make("int16", np.int16, integer=True)
I32 = _make("int32", np.int32, integer=True)
I64 = _make("int64", np.int64, integer=True)
U8 = _make("uint8", np.uint8, integer=True)
U16 = _make("uint16", np.uint16, integer=True)
U32 = _make("uint32", np.uint32, integer=True)
U64 = _make("uint64", np.uint64, integer=True)
BOOL = _make("bool", np.bool_, integer=True)

ALL = (F32, F16, BF16, F8E4M3, F8E5M2, I8, I16, I32, I64, U8, U16, U32, U64, BOOL)

BY_SPEC_NAME = {
    "f32": F32,
    "f16": F16,
    "bf16": BF16,
    "i8": I8,
    "i16": I16,
    "i32": I32,
    "i64": I64,
    "f8e4m3": F8E4M3,
    "f8e5m2": F8E5M2,
}
"""The types of the language, by its names."""

TORCH_NAMES = {dtype.name: dtype for dtype in ALL}
TRITON_NAMES = {
    **{dtype.name: dtype for dtype in ALL if dtype not in (F8E4M3, F8E5M2, BOOL)},
    "float8e4nv": F8E4M3,
    "float8e5": F8E5M2,
    "int1": BOOL,
}


def of_numpy(dtype: np.dtype[Any]) -> DType:
    """The element type of a numpy dtype that the engine computed. UnsupportedError where kernels have none such."""
    found = next((d for d in ALL if d.real == dtype), None)
    if found is None:
        raise UnsupportedError(f"a block of {dtype.name}")
    return found
