"""Arithmetic on extents, and checks of what a caller hands to a launcher. Each check raises ValueError with what was
wanted and what was found."""

from __future__ import annotations

from typing import Any


def cdiv(left: int, right: int) -> int:
    """left / right, rounded up."""
    return -(-left // right)


def check_extent(name: str, value: int, low: int, high: int) -> None:
    """An extent lies within the bounds that the spec was checked for."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be an integer in {low}..{high}, found {value!r}")


def check_bound(formula: str, holds: bool) -> None:
    """A `where` of the spec holds for the extents given."""
    if not holds:
        raise ValueError(f"the extents break the spec's bound {formula}")


def check_tensor(
    name: str, tensor: Any, shape: tuple[int, ...], dtype: Any, device: Any, strided: bool = False
) -> None:
    """A tensor has the wanted shape, dtype and device, and is dense unless the spec calls it strided."""
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
    if given is not None and given.data_ptr() != own.data_ptr():
        raise ValueError(f"{name} lies in symmetric memory of the operator: pass out=None or the tensor it returned")
