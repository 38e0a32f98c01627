"""Words that have no place there.

`to` belongs to the input and to buffers of the sender, `from` to the output and to buffers of the receiver, and
the number of ranks is no axis. `slots` needs `per block`, link options need udma, `place` is for tensors, an
overlay lies in a buffer that has memory and a slab of the own rank.

Why it matters: the words would be ignored, and the schedule would not be what it says.

Instead of

    in A : bf16 [(from S) H D]

write

    in A : bf16 [(to S) H D]
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A108", "misplaced", "text")
