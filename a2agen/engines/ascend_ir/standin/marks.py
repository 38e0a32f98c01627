"""Marks: calls that stock triton-ascend carries through to its linalg form, each to be replaced there.

A mark without a result is a print, which keeps its place among loads and stores. A value is a call of an
elementwise function, the only kind of function with a result that the adapter lets through. Neither takes
pointers, so they go in as integers. custom.py finds the memory again that each integer is the address of.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,attr-defined"

import triton.language as tl
from triton.language import semantic

from a2agen.engines.ascend_ir.names import PRINT, VALUE


def mark(builder, name, args):
    """Something is done here."""
    # The adapter crashes on a print without operands.
    values = [as_integer(a, builder) for a in args] or [scalar(0, tl.int32, builder)]
    builder.create_print(PRINT + name, False, [v.handle for v in values], [0] * len(values))


def value(builder, name, args, dtype):
    """A value that nothing but these arguments goes into."""
    values = [as_integer(a, builder) for a in args] or [scalar(0, tl.int32, builder)]
    pointer = dtype.is_ptr()
    plain = tl.int64 if pointer else dtype
    handles = [v.handle for v in values]
    result = tl.tensor(
        builder.create_extern_elementwise("a2agen", "", VALUE + name, handles, plain.to_ir(builder), True), plain
    )
    return semantic.cast(result, dtype, builder) if pointer else result


def as_integer(what, builder):
    what = semantic.to_tensor(what, builder)
    return semantic.cast(what, tl.int64, builder) if what.type.is_ptr() else what


def scalar(what, dtype, builder):
    return semantic.cast(semantic.to_tensor(what, builder), dtype, builder)
