"""Arithmetic on extents, and checks of what a caller hands to a launcher. Each check raises ValueError with what was
wanted and what was found."""

from __future__ import annotations

import operator
import re
from typing import Any


def cdiv(left: int, right: int) -> int:
    """left / right, rounded up."""
    return -(-left // right)


def check_extent(name: str, value: Any, low: int, high: int) -> int:
    """The extent, an int of Python whatever integer was given, within the bounds that the spec was checked for."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or not low <= number <= high:
        raise ValueError(f"{name} must be an integer in {low}..{high}, found {value!r}")
    return number


def check_bound(formula: str, left: int, right: int, /, **extents: int) -> None:
    """A `where` of the spec, left <= right, holds for the extents given."""
    if left > right:
        numbers = re.sub(r"[^\W\d]\w*", lambda name: str(extents.get(name[0], name[0])), formula.partition(" <= ")[0])
        found = f"{left}" if numbers == f"{left}" else f"{numbers} = {left}"
        limit = "" if formula.endswith(f" <= {right}") else f", more than {right}"
        raise ValueError(f"the spec wants {formula}, found {found}{limit}")


def check_tensor(
    name: str, tensor: Any, shape: tuple[int, ...], dtype: Any, device: Any, strided: bool = False
) -> None:
    """A tensor has the wanted shape, dtype and device, and is dense unless the spec calls it strided."""
    if not hasattr(tensor, "data_ptr"):
        raise ValueError(f"{name} must be a tensor of shape {shape}, found {_described(tensor)}")
    if tuple(tensor.shape) != shape:
        raise ValueError(f"{name} must have shape {shape}, found {tuple(tensor.shape)}")
    if tensor.dtype != dtype:
        raise ValueError(f"{name} must have dtype {dtype}, found {tensor.dtype}")
    if tensor.device != device:
        raise ValueError(f"{name} must be on {device}, found {tensor.device}")
    if not strided and not tensor.is_contiguous():
        raise ValueError(f"{name} must be contiguous, found strides {tuple(tensor.stride())} for shape {shape}")


def check_out(name: str, given: Any, own: Any) -> None:
    """An output in symmetric memory is the operator's own: peers cannot write to any other."""
    if given is not None and (not hasattr(given, "data_ptr") or given.data_ptr() != own.data_ptr()):
        raise ValueError(f"{name} lies in symmetric memory of the operator: pass out=None or the tensor it returned")


def check_apart(source_name: str, source: Any, result_name: str, result: Any) -> None:
    """The result lies apart from the source: what is stored early would be read late. The bytes from a tensor's first
    element to its last count, gaps of a strided one included."""
    (first, end), (other_first, other_end) = _bytes(source), _bytes(result)
    if first < other_end and other_first < end:
        raise ValueError(
            f"{result_name} overlaps {source_name} in memory: pass a copy of {source_name}, or another tensor as `out`"
        )


def _bytes(tensor: Any) -> tuple[int, int]:
    """Where a tensor begins and ends in memory."""
    last = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    first = tensor.data_ptr()
    return first, first + (last + 1) * tensor.element_size()


def _described(value: Any) -> str:
    return "None" if value is None else type(value).__name__
