"""A number that can't be meant.

Extents, blocks, tiles, slots, queues and alignments lie in 1..2^31-1, cores in 1..65535, and the least of a
range is not above the largest.

Why it matters: kernels hold extents in 32 bits, a loop whose step is 0 never ends, and a range without values
would let every check pass.

Instead of

    dim S in 1024..1
    block S by 0

write

    dim S in 1..1024
    block S by 8
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A107", "bad-number", "text")
