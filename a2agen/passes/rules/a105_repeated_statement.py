"""A statement that stands once is written again.

An exchange has one `ranks`, one `in` and one `out`; a schedule one `target`, `emit`, `cores`, `block` and
`rounds`; a phase one `link`, `tile`, `ready`, `free` and `order`; and an option of a buffer, role or link is
written once. The first one is taken for the other checks.

Why it matters: two of them contradict each other, or one is left over from an edit.

Instead of

    rounds reset
    rounds epoch

keep the one that is meant:

    rounds epoch
"""

from a2agen.passes.rules.rule import Rule

RULE = Rule("A105", "repeated-statement", "text")
