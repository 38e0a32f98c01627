"""The signatures of Triton-Distributed's operations on Ascend: what each refuses at compile time."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import triton.language as tl

C_NAMES = {
    "bf16": "bfloat16",
    "fp16": "half",
    "fp32": "float",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
}
"""The names that symbols of aclshmem have for types of elements."""

SCOPES, SEMANTICS = ("gpu", "sys"), ("acquire", "relaxed")
SIGNALS, REACHES = ("set",), ("gpu", "intra_node", "inter_node")


def pointer(what, about):
    """The C name of what a scalar pointer points to."""
    if not isinstance(what, tl.tensor) or not what.type.is_ptr():
        raise TypeError(f"{about}: expected a pointer, got {getattr(what, 'type', what)}")
    return element(what.dtype.element_ty, about)


def element(dtype, about):
    if dtype.name not in C_NAMES:
        raise TypeError(f"{about}: aclshmem has no operation for {dtype.name}")
    return C_NAMES[dtype.name]


def words(what, about):
    """The C name of the integers that a pointer to signal words points to."""
    name = pointer(what, about)
    if not name.startswith("int"):
        raise TypeError(f"{about}: expected a pointer to integers, got {what.type}")
    return name


def integer(what, about):
    what = unwrapped(what)
    if isinstance(what, int) and not isinstance(what, bool):
        return
    if not isinstance(what, tl.tensor) or not what.type.is_int():
        raise TypeError(f"{about}: expected an integer, got {getattr(what, 'type', what)}")


def one_of(what, allowed, about):
    if unwrapped(what) not in allowed:
        raise ValueError(f"{about}: expected one of {', '.join(allowed)}, got {unwrapped(what)}")


def unwrapped(what):
    return what.value if isinstance(what, tl.constexpr) else what
