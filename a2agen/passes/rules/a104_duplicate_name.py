"""A name that is taken.

Extents, tensors and buffers share their names, since a kernel has them side by side. Roles, phases, cases,
exchanges, and the schedules of one exchange each have their own. An axis stands once in a layout and once in a
tile.

Why it matters: a statement that names it could mean either.

Instead of

    dim    P in 1..64
    buffer P : [S (from H) D] symmetric

choose another name for one of them:

    dim    P in 1..64
    buffer B : [S (from H) D] symmetric
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A104", "duplicate-name", "text")
