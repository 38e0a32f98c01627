"""A name that kernels and launchers cannot take.

Extents, tensors and buffers keep their names in kernels and launchers. Words of Python and C++ mean something else
there, and some names are those of the generated code itself, such as `rank`, `tl` and `cores`. Names of any kind that
begin with two underscores are none.

Why it matters: the generated file would not load, or would take one value for another, far from the spec that caused
it.

Instead of

    dim rank in 1..64

write

    dim R in 1..64
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A109", "reserved-name", "text")
