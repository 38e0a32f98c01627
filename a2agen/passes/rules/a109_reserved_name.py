"""A name that is a word of Python or C++.

Extents, tensors, buffers, roles and phases keep their names in kernels and launchers, where such a word means
something else.

Why it matters: the generated file would not load or not compile, far from the spec that caused it.

Instead of

    role for : even

write

    role sender : even
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A109", "reserved-name", "text")
